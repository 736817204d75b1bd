"""Client of the Firmament API: companies of official registers. It needs nothing but Python 3.10."""
from .client import Client, MatchResult
from .errors import *
from .generated.errors import *
from .generated.types import *
from .search import SearchResults
from .transport import Limit, Limits
from .webhooks import verify_webhook

__version__ = "0.1.0"
