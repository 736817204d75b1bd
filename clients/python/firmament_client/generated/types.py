# Generated from openapi.json by `npm run generate:client`. Do not edit.
from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

__all__ = [
    "Country",
    "CountryListMeta",
    "CountryList",
    "ErrorResponseError",
    "ErrorResponse",
    "EntitySummary",
    "EntityPageMeta",
    "EntityPage",
    "Registration",
    "RelatedEntity",
    "RowRange",
    "ProvenanceFile",
    "Provenance",
    "EntityDetailRegistryLegalFormElf",
    "EntityDetailRegistryLegalFormLeiElf",
    "EntityDetailRegistryLegalForm",
    "EntityDetailRegistryActivitiesIsic",
    "EntityDetailRegistryActivitiesNace",
    "EntityDetailRegistryActivities",
    "EntityDetailRegistryAddress",
    "EntityDetailRegistryAddresses",
    "EntityDetailRegistryStatus",
    "EntityDetailRegistryPreviousNames",
    "EntityDetailRegistryOtherNames",
    "EntityDetailRegistryCapital",
    "EntityDetailRegistryEmployees",
    "EntityDetailRegistryContacts",
    "EntityDetailRegistryParties",
    "EntityDetailRegistryEstablishmentsAddress",
    "EntityDetailRegistryEstablishments",
    "EntityDetailRegistryPredecessors",
    "EntityDetailRegistrySuccessors",
    "EntityDetailRegistrySector",
    "EntityDetailRegistrySize",
    "EntityDetailRegistry",
    "EntityDetailPartyCounts",
    "EntityDetail",
    "EntityReply",
    "InterestShare",
    "Interest",
    "PartyAbsence",
    "PartySource",
    "Party",
    "PartyListMeta",
    "PartyList",
    "OwnershipNodeEnd",
    "OwnershipNode",
    "OwnershipLinkSource",
    "OwnershipLink",
    "OwnershipReplyData",
    "OwnershipReplyMeta",
    "OwnershipReply",
    "IsicCode",
    "IsicTreeMeta",
    "IsicTree",
    "ElfCode",
    "ElfListMeta",
    "ElfList",
    "MatchReason",
    "MatchCandidate",
    "MatchAnswer",
    "MatchReply",
    "ChangedValues",
    "ChangedDetail",
    "Change",
    "ChangePageMeta",
    "ChangePage",
    "EntityChangePageMeta",
    "EntityChangePage",
    "ExportedRegister",
    "ExportedFile",
    "Export",
    "ExportList",
    "MatchQuery",
    "MatchBatch",
    "MatchBatchReplyMeta",
    "MatchBatchReply",
    "Monitor",
    "MonitorListMeta",
    "MonitorList",
    "CompanyReferenceObject",
    "CompanyReference",
    "SavedSearch",
    "NewMonitor",
    "CreatedMonitorReplyMeta",
    "CreatedMonitorReply",
    "MonitorReply",
    "MonitorUpdate",
    "UpdatedMonitorReplyMeta",
    "UpdatedMonitorReply",
    "MonitorEntityListMeta",
    "MonitorEntityList",
    "MonitorEntityChanges",
    "MonitorEntitiesChangedReplyMeta",
    "MonitorEntitiesChangedReply",
    "WebhookEndpoint",
    "WebhookEndpointListMeta",
    "WebhookEndpointList",
    "NewWebhookEndpoint",
    "CreatedWebhookEndpoint",
    "CreatedWebhookEndpointReply",
    "WebhookEndpointReply",
    "WebhookEndpointChange",
    "WebhookAttempt",
    "WebhookDelivery",
    "WebhookDeliveryList",
    "WebhookDeliveryReply",
]

class Country(TypedDict):
    """A country that has companies here, or is planned."""
    code: str
    """Two-letter country code (ISO 3166-1 alpha-2)."""
    name: str
    """English name."""
    nativeName: str
    """Name in the language of the country."""
    enabled: bool
    """Whether there is at least one company of this country."""
    freshness: Literal["fresh", "due", "overdue"] | None
    """How current the data is by the publishing rhythm of the register: `due` one period after the day that the
    data describes, `overdue` after two. `null` if there is no official data or the rhythm is unknown.
    """
    asOf: str | None
    """The day that the data describes, according to its publisher. Of several registers, the oldest day. `null` if
    unknown.
    """

class CountryListMeta(TypedDict):
    count: int

class CountryList(TypedDict):
    data: list[Country]
    meta: CountryListMeta

class _ErrorResponseErrorOptional(TypedDict, total=False):
    resourceId: str
    """Of `idempotency_key_reused` only: the `id` of what the first request has made."""

class ErrorResponseError(_ErrorResponseErrorOptional):
    code: str
    """Machine-readable error code. Use it to decide how to handle the error."""
    message: str
    """Human-readable explanation, for logs. Its wording may change."""
    requestId: str
    """Id of the request. Include it when you contact support."""
    docs: str
    """Page that explains this error code."""

class ErrorResponse(TypedDict):
    """The body of every error response."""
    error: ErrorResponseError

class _EntitySummaryOptional(TypedDict, total=False):
    matchedName: str | None
    """Only in results of a search with `words`: the former or other name, as registered, with a word that the
    current name and the registration numbers lack. Null if they have all words.
    """

class EntitySummary(_EntitySummaryOptional):
    """A company in search results."""
    id: str
    """Unique identifier of the company. It is the same after every import and on every installation."""
    countryCode: str
    """Jurisdiction, as a two-letter country code (ISO 3166-1 alpha-2)."""
    register: str | None
    """Identifier of the register that the record comes from."""
    registrationNumber: str | None
    """Number of the first registration, exactly as published. `null` if the record has none."""
    canonicalName: str
    """Name for search and display."""
    status: str
    """Normalized status: `active` (registered, and neither in liquidation nor in an insolvency procedure),
    `inactive` (suspended, stopped or not registered at present; the source does not say that the company has
    ended), `in_liquidation` (being wound up), `insolvent` (in bankruptcy, administration, receivership,
    restructuring or another insolvency procedure), `dissolved` (ended: dissolved, struck off, merged into
    another company or deregistered for another reason), `delisted` (missing from the latest complete file of
    its register; the record is kept), `unknown` (the source has no status, or one whose meaning is not known).
    New values may be added.
    """
    legalForm: str | None
    """National legal form, in the words of the register."""
    city: str | None
    """City of the registered address, as the source writes it."""
    registeredAt: str | None
    """Date of registration."""
    updatedAt: str
    """Time of the import that last changed the record."""
    jurisdiction: str | None
    """Under whose law the company was formed: a state or province (ISO 3166-2), or a country (ISO 3166-1 alpha-2).
    `null` if the register does not say it.
    """
    isic: str | None
    """ISIC Rev. 4 code of the main activity, or of the first one if the source marks none: a section, division,
    group or class, as deep as it is certain. `GET /api/v1/classifications/isic` has the names. `null` if none
    is.
    """
    elf: str | None
    """Code of the [legal form](/docs/legal-forms) in the list of entity legal forms (ELF, ISO 20275). `GET
    /api/v1/classifications/elf` has the names. `null` if none is certain.
    """
    legalFormClass: str | None
    """Class of the legal form: `limited_company` (company whose members are not liable and whose shares, if any,
    are not offered to the public), `public_company` (company with shares that may be offered to the public:
    PLC, SA, AG, SE), `partnership` (partnership, also with limited partners or limited liability),
    `sole_trader` (business of a natural person or a family), `branch` (branch, representation or other part of
    an entity, often of a foreign one), `association` (association, trade union, party, chamber or community of
    owners), `foundation` (foundation or fund with a purpose and without members), `cooperative` (cooperative,
    also of housing, banking or farming), `public_body` (state, municipality, public institution or enterprise
    of its own law), `other` (any other form, such as a mutual insurer, an investment fund, a church or an
    economic interest grouping). New values may be added.
    """

class EntityPageMeta(TypedDict):
    page: int
    """The requested page; 9007199254740991 for every larger one."""
    pageSize: int
    """The requested page size."""
    pageCount: int
    """Number of pages."""
    total: int
    """Exact number of matching companies."""

class EntityPage(TypedDict):
    """One page of search results."""
    data: list[EntitySummary]
    meta: EntityPageMeta

class _RegistrationOptional(TypedDict, total=False):
    numberValid: bool
    """Whether the check digits are correct. Missing if they are not checked."""
    statusCode: str
    """Status as a code of the source. Missing if the source has no code."""

class Registration(_RegistrationOptional):
    """A number that an authority has assigned to the company."""
    authority: str
    """Authority that issued the number."""
    type: str
    """Kind of number: `national` (number in the national company register), `tax` (tax number), `vat` (VAT
    number), `lei` (Legal Entity Identifier (ISO 17442)), `euid` (European Unique Identifier), `statistical`
    (number of a statistical office), `state` (number given by a state or province of the country), `branch`
    (number of an establishment), `association` (number in a register of associations), `foreign` (number in the
    register of another country), `other` (any other number). New kinds may be added.
    """
    number: str
    """The number exactly as published, including leading zeros."""
    status: str | None
    """Status in the words of the source."""
    registeredAt: str | None
    """First day of the registration."""
    endedAt: str | None
    """Last day of the registration."""

class RelatedEntity(TypedDict):
    """Another record that is related to this one."""
    id: str
    """Unique identifier of the company. It is the same after every import and on every installation."""
    countryCode: str
    """Jurisdiction, as a two-letter country code (ISO 3166-1 alpha-2)."""
    register: str | None
    """Identifier of the register that the record comes from."""
    registrationNumber: str | None
    """Number of the first registration, exactly as published. `null` if the record has none."""
    canonicalName: str
    """Name for search and display."""
    status: str
    """Normalized status: `active` (registered, and neither in liquidation nor in an insolvency procedure),
    `inactive` (suspended, stopped or not registered at present; the source does not say that the company has
    ended), `in_liquidation` (being wound up), `insolvent` (in bankruptcy, administration, receivership,
    restructuring or another insolvency procedure), `dissolved` (ended: dissolved, struck off, merged into
    another company or deregistered for another reason), `delisted` (missing from the latest complete file of
    its register; the record is kept), `unknown` (the source has no status, or one whose meaning is not known).
    New values may be added.
    """
    legalForm: str | None
    """National legal form, in the words of the register."""
    city: str | None
    """City of the registered address, as the source writes it."""
    registeredAt: str | None
    """Date of registration."""
    updatedAt: str
    """Time of the import that last changed the record."""
    jurisdiction: str | None
    """Under whose law the company was formed: a state or province (ISO 3166-2), or a country (ISO 3166-1 alpha-2).
    `null` if the register does not say it.
    """
    isic: str | None
    """ISIC Rev. 4 code of the main activity, or of the first one if the source marks none: a section, division,
    group or class, as deep as it is certain. `GET /api/v1/classifications/isic` has the names. `null` if none
    is.
    """
    elf: str | None
    """Code of the [legal form](/docs/legal-forms) in the list of entity legal forms (ELF, ISO 20275). `GET
    /api/v1/classifications/elf` has the names. `null` if none is certain.
    """
    legalFormClass: str | None
    """Class of the legal form: `limited_company` (company whose members are not liable and whose shares, if any,
    are not offered to the public), `public_company` (company with shares that may be offered to the public:
    PLC, SA, AG, SE), `partnership` (partnership, also with limited partners or limited liability),
    `sole_trader` (business of a natural person or a family), `branch` (branch, representation or other part of
    an entity, often of a foreign one), `association` (association, trade union, party, chamber or community of
    owners), `foundation` (foundation or fund with a purpose and without members), `cooperative` (cooperative,
    also of housing, banking or farming), `public_body` (state, municipality, public institution or enterprise
    of its own law), `other` (any other form, such as a mutual insurer, an investment fund, a church or an
    economic interest grouping). New values may be added.
    """
    relation: str | None
    """How the two records are related: `same_company` (the same company in another register). New values may be
    added.
    """

class RowRange(TypedDict):
    """Consecutive rows of a file."""
    first: int
    """First row."""
    last: int
    """Last row; the same as `first` for a single row."""

class ProvenanceFile(TypedDict):
    """A file, or a part of one, that the record was read from."""
    file: str
    """Name of the imported file."""
    hash: str
    """SHA-256 hash of the file: `sha256:` followed by hexadecimal digits."""
    url: str | None
    """The address that the file was downloaded from. Null if a person downloaded it."""
    entry: str | None
    """Name of the archive entry or sheet. Null if the file is neither an archive nor a workbook."""
    table: str
    """Name of the table in the register."""
    rows: list[RowRange]
    """The rows that the record was read from. Empty for a code table, which all records share."""

class Provenance(TypedDict):
    """The files that the current content of the record comes from. `file`, `hash` and `row` name the main one."""
    register: str
    """Identifier of the register in this API."""
    publisher: str
    """Publisher of the register."""
    file: str
    """Name of the imported file."""
    hash: str
    """SHA-256 hash of the file: `sha256:` followed by hexadecimal digits."""
    row: int
    """Position of the record in the file."""
    asOf: str | None
    """Publisher’s date of the data, from the file or its name. Null if neither has a date."""
    importedAt: str
    """Time of the import."""
    sourceUrl: str
    """The address that the main file was downloaded from, or the page where the publisher offers it if a person
    downloaded it.
    """
    licence: str
    """Licence under which the publisher offers the data."""
    synthetic: bool | None
    """Whether the company is invented: the file is generated sample data."""
    files: list[ProvenanceFile] | None
    """All files that the record was read from: the main one first, then those with further rows of the company,
    then code tables.
    """

class EntityDetailRegistryLegalFormElf(TypedDict, total=False):
    """The form in the list of entity legal forms (ELF, ISO 20275), if its code there is certain."""
    code: str
    """Code in the list."""
    name: str
    """Name of the form in its country."""
    source: Literal["register", "lei"]
    """Where it comes from. One of `register` (from the national legal form), `lei` (from the LEI record)."""
    trust: Literal["exact", "checked"]
    """How it was found. One of `exact` (the list has the same name or abbreviation, or the LEI record has the
    code), `checked` (found by meaning and confirmed by LEI records of the same companies).
    """

class EntityDetailRegistryLegalFormLeiElf(TypedDict, total=False):
    """The form that the LEI record of the same company has, if it is another one."""
    code: str
    """Code in the list."""
    name: str
    """Name of the form in its country."""
    source: Literal["register", "lei"]
    """Where it comes from. One of `register` (from the national legal form), `lei` (from the LEI record)."""
    trust: Literal["exact", "checked"]
    """How it was found. One of `exact` (the list has the same name or abbreviation, or the LEI record has the
    code), `checked` (found by meaning and confirmed by LEI records of the same companies).
    """

class EntityDetailRegistryLegalForm(TypedDict, total=False):
    """National legal form. It has a code, a label or both."""
    code: str
    """Code of the source."""
    label: str
    """Name of the form, as users of the register know it."""
    labels: dict[str, str]
    """The label by language (ISO 639-1)."""
    scheme: str
    """Code list that the code belongs to."""
    elf: EntityDetailRegistryLegalFormElf
    """The form in the list of entity legal forms (ELF, ISO 20275), if its code there is certain."""
    leiElf: EntityDetailRegistryLegalFormLeiElf
    """The form that the LEI record of the same company has, if it is another one."""

_EntityDetailRegistryActivitiesIsicOptionalKeywords = TypedDict("_EntityDetailRegistryActivitiesIsicOptionalKeywords", {"class": "str"}, total=False)

class _EntityDetailRegistryActivitiesIsicOptional(TypedDict, total=False):
    division: str
    """Division."""
    group: str
    """Group."""

class EntityDetailRegistryActivitiesIsic(_EntityDetailRegistryActivitiesIsicOptionalKeywords, _EntityDetailRegistryActivitiesIsicOptional):
    """Code of ISIC Rev. 4, as deep as official tables are exact. The search parameter `isic` finds it."""
    section: str
    """Section, a letter."""
    label: str
    """English title of the deepest code."""
    level: Literal["section", "division", "group", "class"]
    """The level of the deepest code. One of `section` (a letter), `division` (two digits), `group` (three digits),
    `class` (four digits).
    """
    edition: str
    """Edition of ISIC."""

_EntityDetailRegistryActivitiesNaceOptionalKeywords = TypedDict("_EntityDetailRegistryActivitiesNaceOptionalKeywords", {"class": "str"}, total=False)

class _EntityDetailRegistryActivitiesNaceOptional(TypedDict, total=False):
    division: str
    """Division."""
    group: str
    """Group."""

class EntityDetailRegistryActivitiesNace(_EntityDetailRegistryActivitiesNaceOptionalKeywords, _EntityDetailRegistryActivitiesNaceOptional):
    """Code of NACE, if the classification is a national version of it."""
    section: str
    """Section, a letter."""
    label: str
    """English title of the deepest code."""
    level: Literal["section", "division", "group", "class"]
    """The level of the deepest code. One of `section` (a letter), `division` (two digits), `group` (three digits),
    `class` (four digits).
    """
    edition: str
    """Edition of NACE: `2` or `2.1`."""

class _EntityDetailRegistryActivitiesOptional(TypedDict, total=False):
    code: str
    """Code in the classification."""
    label: str
    """Name of the activity in the words of the source."""
    scheme: str
    """Classification, such as `UK SIC` or `NACE-BEL`."""
    edition: str
    """Edition of the classification, such as `2007`."""
    main: bool
    """Whether the source calls it the main activity."""
    isic: EntityDetailRegistryActivitiesIsic
    """Code of ISIC Rev. 4, as deep as official tables are exact. The search parameter `isic` finds it."""
    isicNote: str
    """Why there is no `isic`, such as a code that means that the company is dormant."""
    nace: EntityDetailRegistryActivitiesNace
    """Code of NACE, if the classification is a national version of it."""

class EntityDetailRegistryActivities(_EntityDetailRegistryActivitiesOptional):
    """An activity. The search parameter `activity` finds its code and its label."""
    type: Literal["unlicensed", "licensed"]
    """The collection it belongs to, as in the search parameter `activityType`. One of `unlicensed` (needs no
    licence, or the register does not say), `licensed` (needs a licence).
    """

class _EntityDetailRegistryAddressOptional(TypedDict, total=False):
    lines: list[str]
    """The lines of the address as the source writes them, if it has lines instead of parts."""
    careOf: str
    """Person or company that receives the mail."""
    poBox: str
    """Post office box."""
    building: str
    """Name or number of a building, block or estate."""
    street: str
    """Street without the house number, if the source separates the two."""
    number: str
    """House number."""
    unit: str
    """Apartment, office, floor or other part of a building."""
    district: str
    """Part of a city or of a municipality, such as a parish."""
    postCode: str
    """Post code."""
    city: str
    """City, town or village."""
    municipality: str
    """Municipality or administrative district that the city, town or village belongs to."""
    region: str
    """County, province, state or another area above the city."""
    country: str
    """Country in the words of the source."""
    countryCode: str
    """Two-letter country code (ISO 3166-1 alpha-2)."""

class EntityDetailRegistryAddress(_EntityDetailRegistryAddressOptional):
    """The registered address."""
    text: str
    """The complete address in one line, as a person would write it."""

_EntityDetailRegistryAddressesOptionalKeywords = TypedDict("_EntityDetailRegistryAddressesOptionalKeywords", {"from": "str"}, total=False)

class _EntityDetailRegistryAddressesOptional(TypedDict, total=False):
    lines: list[str]
    """The lines of the address as the source writes them, if it has lines instead of parts."""
    careOf: str
    """Person or company that receives the mail."""
    poBox: str
    """Post office box."""
    building: str
    """Name or number of a building, block or estate."""
    street: str
    """Street without the house number, if the source separates the two."""
    number: str
    """House number."""
    unit: str
    """Apartment, office, floor or other part of a building."""
    district: str
    """Part of a city or of a municipality, such as a parish."""
    postCode: str
    """Post code."""
    city: str
    """City, town or village."""
    municipality: str
    """Municipality or administrative district that the city, town or village belongs to."""
    region: str
    """County, province, state or another area above the city."""
    country: str
    """Country in the words of the source."""
    countryCode: str
    """Two-letter country code (ISO 3166-1 alpha-2)."""
    until: str
    """Last day."""

class EntityDetailRegistryAddresses(_EntityDetailRegistryAddressesOptionalKeywords, _EntityDetailRegistryAddressesOptional):
    """Another address."""
    type: Literal["postal", "headquarters", "establishment", "branch", "foreign", "former", "other"]
    """What the address is for. One of `postal` (mail), `headquarters` (place of management), `establishment`
    (place of business), `branch` (branch of a foreign company), `foreign` (address of a foreign company in its
    home country), `former` (no longer in use), `other` (any other).
    """
    text: str
    """The complete address in one line, as a person would write it."""

class EntityDetailRegistryStatus(TypedDict, total=False):
    """The status in the words of the source."""
    code: str
    """Code of the source."""
    label: str
    """Text of the source."""
    since: str
    """First day of this status."""
    reason: str
    """Reason for the status."""
    reasonCode: str
    """Code of the reason."""

_EntityDetailRegistryPreviousNamesOptionalKeywords = TypedDict("_EntityDetailRegistryPreviousNamesOptionalKeywords", {"from": "str"}, total=False)

class _EntityDetailRegistryPreviousNamesOptional(TypedDict, total=False):
    until: str
    """Last day."""

class EntityDetailRegistryPreviousNames(_EntityDetailRegistryPreviousNamesOptionalKeywords, _EntityDetailRegistryPreviousNamesOptional):
    """A former name."""
    name: str
    """The name."""

class _EntityDetailRegistryOtherNamesOptional(TypedDict, total=False):
    type: Literal["trading", "short", "translation", "transliteration", "branch", "other"]
    """What kind of name it is. One of `trading` (brand or trade name), `short` (abbreviation or short name),
    `translation` (in another language), `transliteration` (in another script), `branch` (of a branch), `other`
    (any other).
    """
    language: str
    """Language of the name (ISO 639-1)."""

class EntityDetailRegistryOtherNames(_EntityDetailRegistryOtherNamesOptional):
    """A further name that is in use."""
    name: str
    """The name."""

class EntityDetailRegistryCapital(TypedDict, total=False):
    """Capital of the company."""
    amount: float
    """Amount in units of the currency."""
    currency: str
    """Currency code (ISO 4217)."""

_EntityDetailRegistryEmployeesOptionalKeywords = TypedDict("_EntityDetailRegistryEmployeesOptionalKeywords", {"from": "int"}, total=False)

class EntityDetailRegistryEmployees(_EntityDetailRegistryEmployeesOptionalKeywords, total=False):
    """Number of employees: an exact count, or a range."""
    count: int
    """Exact number."""
    to: int
    """Largest number of the range. Missing if the range is open."""
    code: str
    """Code of the range in the source."""

class EntityDetailRegistryContacts(TypedDict, total=False):
    """How to reach the company."""
    websites: list[str]
    """Websites."""
    emails: list[str]
    """Email addresses."""
    phones: list[str]
    """Phone numbers."""
    faxes: list[str]
    """Fax numbers."""

_EntityDetailRegistryPartiesOptionalKeywords = TypedDict("_EntityDetailRegistryPartiesOptionalKeywords", {"from": "str"}, total=False)

class _EntityDetailRegistryPartiesOptional(TypedDict, total=False):
    roleLabel: str
    """Role in the words of the source."""
    kind: Literal["person", "organisation"]
    """Kind of party. Left out if the source does not say. One of `person` (a natural person), `organisation`
    (anything else).
    """
    number: str
    """Number of the party, if it is an organisation."""
    share: float
    """Share of the capital or of the votes, in percent."""
    until: str
    """Last day in the role."""
    country: str
    """Country in the words of the source."""
    countryCode: str
    """Two-letter country code (ISO 3166-1 alpha-2)."""

class EntityDetailRegistryParties(_EntityDetailRegistryPartiesOptionalKeywords, _EntityDetailRegistryPartiesOptional):
    """A person or organisation connected with the company."""
    role: Literal["director", "representative", "founder", "shareholder", "partner", "beneficial_owner", "controller", "liquidator", "insolvency_administrator", "auditor", "parent", "ultimate_parent", "head_office", "fund_manager", "umbrella_fund", "master_fund", "member", "other"]
    """Normalized role. One of `director` (manages the company: director, board member, manager, administrator),
    `representative` (may sign for the company), `founder` (founded it), `shareholder` (owns shares), `partner`
    (partner of a partnership, or member of a company without shares), `beneficial_owner` (ultimately owns or
    controls it), `controller` (a company or body that owns or controls it), `liquidator` (winds it up),
    `insolvency_administrator` (administers it in an insolvency procedure), `auditor` (audits it), `parent`
    (parent company of its group), `ultimate_parent` (company at the top of its group), `head_office` (company
    whose branch it is), `fund_manager` (manages the fund), `umbrella_fund` (fund that it is a part of),
    `master_fund` (fund that it invests in), `member` (belongs to it: association, cooperative), `other` (any
    other; `roleLabel` says which).
    """
    name: str
    """Name as published."""

class _EntityDetailRegistryEstablishmentsAddressOptional(TypedDict, total=False):
    lines: list[str]
    """The lines of the address as the source writes them, if it has lines instead of parts."""
    careOf: str
    """Person or company that receives the mail."""
    poBox: str
    """Post office box."""
    building: str
    """Name or number of a building, block or estate."""
    street: str
    """Street without the house number, if the source separates the two."""
    number: str
    """House number."""
    unit: str
    """Apartment, office, floor or other part of a building."""
    district: str
    """Part of a city or of a municipality, such as a parish."""
    postCode: str
    """Post code."""
    city: str
    """City, town or village."""
    municipality: str
    """Municipality or administrative district that the city, town or village belongs to."""
    region: str
    """County, province, state or another area above the city."""
    country: str
    """Country in the words of the source."""
    countryCode: str
    """Two-letter country code (ISO 3166-1 alpha-2)."""

class EntityDetailRegistryEstablishmentsAddress(_EntityDetailRegistryEstablishmentsAddressOptional):
    """Its address."""
    text: str
    """The complete address in one line, as a person would write it."""

_EntityDetailRegistryEstablishmentsOptionalKeywords = TypedDict("_EntityDetailRegistryEstablishmentsOptionalKeywords", {"from": "str"}, total=False)

class EntityDetailRegistryEstablishments(_EntityDetailRegistryEstablishmentsOptionalKeywords, total=False):
    """A branch or place of business."""
    number: str
    """Its number."""
    name: str
    """Its name."""
    address: EntityDetailRegistryEstablishmentsAddress
    """Its address."""
    until: str
    """Last day."""

class EntityDetailRegistryPredecessors(TypedDict, total=False):
    """Another company."""
    name: str
    """Its name."""
    number: str
    """Its number."""

class EntityDetailRegistrySuccessors(TypedDict, total=False):
    """Another company."""
    name: str
    """Its name."""
    number: str
    """Its number."""

class EntityDetailRegistrySector(TypedDict, total=False):
    """Institutional sector of the company."""
    code: str
    """Code of the source."""
    label: str
    """Text of the code."""

class EntityDetailRegistrySize(TypedDict, total=False):
    """Size class of the company."""
    code: str
    """Code of the source."""
    label: str
    """Text of the code."""

class EntityDetailRegistry(TypedDict, total=False):
    """Fields that mean the same in every register, and national fields that the page of the register documents."""
    legalForm: EntityDetailRegistryLegalForm
    """National legal form. It has a code, a label or both."""
    activities: list[EntityDetailRegistryActivities]
    """Every activity that the search parameter `activity` finds."""
    address: EntityDetailRegistryAddress
    """The registered address."""
    addresses: list[EntityDetailRegistryAddresses]
    """Further addresses."""
    status: EntityDetailRegistryStatus
    """The status in the words of the source."""
    statusInferredFrom: str
    """What the status was inferred from, such as a column or a role, if the source does not state it."""
    jurisdiction: str
    """Under whose law the company was formed: a state or province (ISO 3166-2, `US-NY`) or a country (ISO 3166-1
    alpha-2). The search parameter `jurisdiction` finds it.
    """
    foundedAt: str
    """Day on which the company was founded."""
    endedAt: str
    """Day on which the company ceased to exist."""
    previousNames: list[EntityDetailRegistryPreviousNames]
    """Former names, the latest first if the source has an order."""
    otherNames: list[EntityDetailRegistryOtherNames]
    """Further names."""
    nameMissing: Literal[True]
    """The source has no name; `canonicalName` is the number."""
    capital: EntityDetailRegistryCapital
    """Capital of the company."""
    employees: EntityDetailRegistryEmployees
    """Number of employees: an exact count, or a range."""
    contacts: EntityDetailRegistryContacts
    """How to reach the company."""
    parties: list[EntityDetailRegistryParties]
    """Directors, owners and others that the register publishes."""
    establishments: list[EntityDetailRegistryEstablishments]
    """Branches and places of business."""
    predecessors: list[EntityDetailRegistryPredecessors]
    """Companies that this one continues."""
    successors: list[EntityDetailRegistrySuccessors]
    """Companies that continue this one."""
    purpose: str
    """Purpose of the company in its own words."""
    sector: EntityDetailRegistrySector
    """Institutional sector of the company."""
    size: EntityDetailRegistrySize
    """Size class of the company."""

class EntityDetailPartyCounts(TypedDict):
    """How many parties in force `/parties` names. Natural persons count only if they are named there. `null` if no
    files of parties of this register are imported, or if they are switched off.
    """
    owners: int
    """Owners, parents and others who control the company."""
    others: int
    """Officers, managers, auditors and others."""

class EntityDetail(TypedDict):
    """The full record of a company."""
    id: str
    """Unique identifier of the company. It is the same after every import and on every installation."""
    countryCode: str
    """Jurisdiction, as a two-letter country code (ISO 3166-1 alpha-2)."""
    register: str | None
    """Identifier of the register that the record comes from."""
    registrationNumber: str | None
    """Number of the first registration, exactly as published. `null` if the record has none."""
    canonicalName: str
    """Name for search and display."""
    status: str
    """Normalized status: `active` (registered, and neither in liquidation nor in an insolvency procedure),
    `inactive` (suspended, stopped or not registered at present; the source does not say that the company has
    ended), `in_liquidation` (being wound up), `insolvent` (in bankruptcy, administration, receivership,
    restructuring or another insolvency procedure), `dissolved` (ended: dissolved, struck off, merged into
    another company or deregistered for another reason), `delisted` (missing from the latest complete file of
    its register; the record is kept), `unknown` (the source has no status, or one whose meaning is not known).
    New values may be added.
    """
    legalForm: str | None
    """National legal form, in the words of the register."""
    city: str | None
    """City of the registered address, as the source writes it."""
    registeredAt: str | None
    """Date of registration."""
    updatedAt: str
    """Time of the import that last changed the record."""
    jurisdiction: str | None
    """Under whose law the company was formed: a state or province (ISO 3166-2), or a country (ISO 3166-1 alpha-2).
    `null` if the register does not say it.
    """
    isic: str | None
    """ISIC Rev. 4 code of the main activity, or of the first one if the source marks none: a section, division,
    group or class, as deep as it is certain. `GET /api/v1/classifications/isic` has the names. `null` if none
    is.
    """
    elf: str | None
    """Code of the [legal form](/docs/legal-forms) in the list of entity legal forms (ELF, ISO 20275). `GET
    /api/v1/classifications/elf` has the names. `null` if none is certain.
    """
    legalFormClass: str | None
    """Class of the legal form: `limited_company` (company whose members are not liable and whose shares, if any,
    are not offered to the public), `public_company` (company with shares that may be offered to the public:
    PLC, SA, AG, SE), `partnership` (partnership, also with limited partners or limited liability),
    `sole_trader` (business of a natural person or a family), `branch` (branch, representation or other part of
    an entity, often of a foreign one), `association` (association, trade union, party, chamber or community of
    owners), `foundation` (foundation or fund with a purpose and without members), `cooperative` (cooperative,
    also of housing, banking or farming), `public_body` (state, municipality, public institution or enterprise
    of its own law), `other` (any other form, such as a mutual insurer, an investment fund, a church or an
    economic interest grouping). New values may be added.
    """
    registry: EntityDetailRegistry
    """Fields that mean the same in every register, and national fields that the page of the register documents."""
    sourceData: dict[str, Any]
    """Every field of the source, with its name and value exactly as published. Values about natural persons that
    are not stored say `withheld` and the reason.
    """
    registrations: list[Registration]
    related: list[RelatedEntity] | None
    """The same company in other registers, such as its LEI record. Empty if no other record is known."""
    partyCounts: EntityDetailPartyCounts | None
    """How many parties in force `/parties` names. Natural persons count only if they are named there. `null` if no
    files of parties of this register are imported, or if they are switched off.
    """
    provenance: Provenance | None

class EntityReply(TypedDict):
    data: EntityDetail

class InterestShare(TypedDict, total=False):
    """In percent. `null` if it is not published."""
    exact: float
    """The share, if it is published exactly."""
    min: float
    """The smallest share of a range."""
    max: float
    """The largest share of a range."""

class Interest(TypedDict):
    """What a party holds of a company."""
    type: str
    """Kind: `consolidation` (includes the company in its consolidated accounts: control, or more than half of it),
    `shares` (shares or capital), `votes` (voting rights), `board` (right to appoint or remove directors or
    members), `surplus_assets` (share of what is left when it is wound up), `influence` (significant influence
    or control in another way), `nominee` (it holds property as a nominee for the party), `other` (any other).
    New values may be added.
    """
    share: InterestShare | None
    """In percent. `null` if it is not published."""
    heldAs: str | None
    """How it is held. `null` if in its own right, or if it is not published: `firm_member` (as a member of a
    firm), `firm_control` (through influence over a firm), `trustee` (as a trustee of a trust), `trust_control`
    (through influence over a trust or its trustees), `other_entity` (through another entity that it owns). New
    values may be added.
    """

class PartyAbsence(TypedDict):
    """Set if the source says that there is no such party, or that it is not named."""
    reason: str
    """Reason: `no_parent` (nobody controls or consolidates the company), `persons` (natural persons control it,
    who are not named), `no_number` (the party has no number in this register), `not_disclosed` (the company
    does not disclose it), `not_identified` (the company has not identified the party, or not confirmed its
    details), `no_answer` (the party was asked and has not answered), `exempt` (the company need not say it, for
    example because its shares are traded on a market), `protected` (the party is protected: the register
    publishes nothing about it), `statement` (no owner is missing from the list; `text` is a statement of the
    company about the owners that it has). New values may be added.
    """
    text: str
    """The reason as the source writes it."""

class PartySource(TypedDict):
    """The row that says so."""
    file: str
    """Name of the file."""
    hash: str
    """SHA-256 hash of the file: `sha256:` followed by hexadecimal digits."""
    row: int
    """Row of the file, starting at 1."""

_PartyKeywords = TypedDict("_PartyKeywords", {"from": "str | None"})

class Party(_PartyKeywords):
    """A person or organisation connected with a company."""
    role: str
    """Role: `director` (manages the company: director, board member, manager, administrator), `representative`
    (may sign for the company), `founder` (founded it), `shareholder` (owns shares), `partner` (partner of a
    partnership, or member of a company without shares), `beneficial_owner` (ultimately owns or controls it),
    `controller` (a company or body that owns or controls it), `liquidator` (winds it up),
    `insolvency_administrator` (administers it in an insolvency procedure), `auditor` (audits it), `parent`
    (parent company of its group), `ultimate_parent` (company at the top of its group), `head_office` (company
    whose branch it is), `fund_manager` (manages the fund), `umbrella_fund` (fund that it is a part of),
    `master_fund` (fund that it invests in), `member` (belongs to it: association, cooperative), `other` (any
    other; `roleLabel` says which). New values may be added.
    """
    roleText: str
    """The role as the source writes it."""
    kind: str
    """Kind: `person` (a natural person), `organisation` (anything else), `unknown` (the source does not say). New
    values may be added.
    """
    name: str | None
    """Name, from the source, or else from the record of the party. `null` if neither has one."""
    entityId: str | None
    """The record of the party, found by register and number. `null` if there is none here."""
    number: str | None
    """Number of the party, as the source writes it."""
    countryCode: str | None
    """Country of the party (ISO 3166-1 alpha-2)."""
    interests: list[Interest]
    """Empty if the source says nothing about shares or control."""
    until: str | None
    """Last day. `null` if it is not published or has not come."""
    current: bool
    """Whether it is in force, according to the source."""
    absence: PartyAbsence | None
    """Set if the source says that there is no such party, or that it is not named."""
    source: PartySource
    """The row that says so."""
    sourceData: Any
    """Every field of the row, exactly as published. Fields that are not stored say `withheld` and the reason."""

class PartyListMeta(TypedDict):
    total: int
    """Exact number of parties, also if the list is shorter."""
    withheld: int | None
    """How many persons are left out of the data at their request."""
    truncated: bool
    """Whether the list was cut after 1000 parties."""
    register: str
    """Identifier of the register that the record comes from."""
    coverage: str
    """Whether the answer says something about this company: `available` (the files of parties of this register are
    imported), `off` (the operator of this service has switched them off), `not_imported` (the register
    publishes them, but they are not imported here), `not_published` (the register publishes none that can be
    imported). New values may be added.
    """

class PartyList(TypedDict):
    """The parties of a company."""
    data: list[Party]
    meta: PartyListMeta

class OwnershipNodeEnd(TypedDict):
    """Why the chain ends here. `null` if it goes on, and at companies without holdings."""
    reason: str
    """Reason: `person` (natural persons own or control it), `no_number` (the owner has no number in this register,
    or the company itself has none), `no_parent` (nobody controls or consolidates it), `not_disclosed` (the
    company does not disclose its owner), `not_identified` (the company has not identified its owner, or not
    confirmed the details), `no_answer` (the owner was asked and has not answered), `exempt` (the company need
    not name its owner), `protected` (the owner is protected: the register publishes nothing about it),
    `not_found` (the company is not in the store, and its files say nothing about it), `not_in_files` (the files
    name no owner who may be shown), `persons_not_kept` (the files name no organisation as owner, and natural
    persons, who may own it, are not kept here), `depth` (the chain may go on: ask for a greater depth), `limit`
    (the chain may go on: the answer has as many companies or links as possible). New values may be added.
    """
    text: str | None
    """The reason as the source writes it."""

class OwnershipNode(TypedDict):
    """A company of a group."""
    node: int
    """Its number in this answer. The company that was asked for is 0."""
    depth: int
    """How many links lead to it from the company that was asked for, at least."""
    register: str
    """Identifier of the register that the record comes from."""
    number: str | None
    """Its number in the register."""
    entityId: str | None
    """Its record. `null` if it is not here."""
    name: str | None
    """Its name. `null` if its record is not here."""
    countryCode: str | None
    """Its jurisdiction (ISO 3166-1 alpha-2)."""
    status: str | None
    """Its normalized status, as in its record."""
    end: OwnershipNodeEnd | None
    """Why the chain ends here. `null` if it goes on, and at companies without holdings."""

class OwnershipLinkSource(TypedDict):
    """The row that says so."""
    file: str
    """Name of the file."""
    hash: str
    """SHA-256 hash of the file: `sha256:` followed by hexadecimal digits."""
    row: int
    """Row of the file, starting at 1."""

_OwnershipLinkKeywords = TypedDict("_OwnershipLinkKeywords", {"from": "str | None"})

class OwnershipLink(_OwnershipLinkKeywords):
    """One company owns or controls another."""
    company: int
    """`node` of the company that is owned."""
    party: int
    """`node` of the company that owns it."""
    role: str
    """Role: `director` (manages the company: director, board member, manager, administrator), `representative`
    (may sign for the company), `founder` (founded it), `shareholder` (owns shares), `partner` (partner of a
    partnership, or member of a company without shares), `beneficial_owner` (ultimately owns or controls it),
    `controller` (a company or body that owns or controls it), `liquidator` (winds it up),
    `insolvency_administrator` (administers it in an insolvency procedure), `auditor` (audits it), `parent`
    (parent company of its group), `ultimate_parent` (company at the top of its group), `head_office` (company
    whose branch it is), `fund_manager` (manages the fund), `umbrella_fund` (fund that it is a part of),
    `master_fund` (fund that it invests in), `member` (belongs to it: association, cooperative), `other` (any
    other; `roleLabel` says which). New values may be added.
    """
    roleText: str
    """The role as the source writes it."""
    interests: list[Interest]
    """Empty if the source says nothing about shares or control."""
    until: str | None
    """Last day. `null` if it is not published or has not come."""
    inCycle: bool
    """Whether the link is part of a cycle: both companies own each other, directly or through others."""
    source: OwnershipLinkSource
    """The row that says so."""

class OwnershipReplyData(TypedDict):
    nodes: list[OwnershipNode]
    """Each company once, the nearest ones first."""
    links: list[OwnershipLink]

class OwnershipReplyMeta(TypedDict):
    nodes: int
    """Number of companies in this answer, including the one that was asked for."""
    links: int
    """Number of links in this answer."""
    cyclicLinks: int
    """Number of links that are part of a cycle."""
    truncated: bool
    """Whether companies or links were left out: an answer has at most 1000 companies and 4000 links."""
    register: str
    """Identifier of the register that the record comes from."""
    coverage: str
    """Whether the answer says something about this company: `available` (the files of parties of this register are
    imported), `off` (the operator of this service has switched them off), `not_imported` (the register
    publishes them, but they are not imported here), `not_published` (the register publishes none that can be
    imported). New values may be added.
    """

class OwnershipReply(TypedDict):
    """Companies and the links between them."""
    data: OwnershipReplyData
    meta: OwnershipReplyMeta

class IsicCode(TypedDict):
    """A section, division, group or class of ISIC Rev. 4."""
    code: str
    """The code, as the parameter `isic` takes it."""
    level: Literal["section", "division", "group", "class"]
    """The level of the code."""
    parent: str | None
    """The code that this one belongs to. `null` for a section."""
    label: str
    """English title."""
    entities: int
    """Companies with an activity in this code. A company with several activities can be in several codes."""

class IsicTreeMeta(TypedDict):
    count: int

class IsicTree(TypedDict):
    data: list[IsicCode]
    meta: IsicTreeMeta

class ElfCode(TypedDict):
    """A code of the list of entity legal forms (ELF, ISO 20275)."""
    code: str
    """The code, as the parameter `elf` takes it."""
    countryCode: str | None
    """The country of the form. `null` if the code is not in our edition of the list."""
    name: str | None
    """The name of the form in its country. `null` if the code is not in our edition of the list."""
    legalFormClass: Literal["limited_company", "public_company", "partnership", "sole_trader", "branch", "association", "foundation", "cooperative", "public_body", "other"] | None
    """The class of the form. `null` if it is not known. New values may be added."""
    entities: int
    """Companies with this code."""

class ElfListMeta(TypedDict):
    count: int

class ElfList(TypedDict):
    data: list[ElfCode]
    meta: ElfListMeta

class MatchReason(TypedDict):
    """One of the facts that a score is made of."""
    feature: str
    """What was compared. New values may be added."""
    value: str
    """What was found: a word, a number, a legal form, a place."""
    weight: float
    """How much it counts for (above 0) or against (below 0) this company, in log odds."""
    text: str
    """The same in words. Its wording may change."""

class MatchCandidate(TypedDict):
    """A company that may be the one that was meant."""
    entity: EntitySummary
    score: float
    """The probability that this is the company that was meant."""
    match: bool
    """Whether it is safe to take it without asking anybody. True for at most one candidate."""
    reasons: list[MatchReason]

class MatchAnswer(TypedDict):
    """The companies that a query can mean."""
    status: Literal["match", "ambiguous", "none"]
    """`match`: the first candidate is the company. `ambiguous`: one of several, see `text`. `none`: no company
    fits well enough.
    """
    text: str
    """What was found, and what to add if it is ambiguous. Its wording may change."""
    candidates: list[MatchCandidate]
    """The best first."""
    bounded: bool
    """Whether the search for candidates reached its bound, so that one may be missing."""

class MatchReply(TypedDict):
    data: MatchAnswer

class ChangedValues(TypedDict):
    """The normalized fields of a company, before or after a change."""
    canonicalName: str
    """Name for search and display."""
    status: str
    """Normalized status: `active` (registered, and neither in liquidation nor in an insolvency procedure),
    `inactive` (suspended, stopped or not registered at present; the source does not say that the company has
    ended), `in_liquidation` (being wound up), `insolvent` (in bankruptcy, administration, receivership,
    restructuring or another insolvency procedure), `dissolved` (ended: dissolved, struck off, merged into
    another company or deregistered for another reason), `delisted` (missing from the latest complete file of
    its register; the record is kept), `unknown` (the source has no status, or one whose meaning is not known).
    New values may be added.
    """
    legalForm: str | None
    """National legal form, in the words of the register."""
    registeredAt: str | None
    """Date of registration."""

class ChangedDetail(TypedDict):
    """How one value inside a record changed."""
    field: str
    """Path of the value in the record. Items of lists are listed under the path of the list."""
    before: str | None
    """The value before as text, JSON if it is an object. Long ones are cut."""
    after: str | None
    """The value after as text, JSON if it is an object. Long ones are cut."""

class Change(TypedDict):
    """What an import changed about one company."""
    cursor: str
    """Place in the feed right after this change. Opaque: do not take it apart."""
    type: str
    """What happened: `added` (the company is new), `changed` (fields of the record have changed), `delisted` (the
    register no longer lists the company), `relisted` (the register lists the company again), `loaded` (the
    register was imported for the first time; there is one such change per country and none per company). New
    values may be added.
    """
    occurredAt: str
    """Time of the import that published the change. All changes of an import have the same time."""
    entityId: str | None
    """The company. `null` if `type` is `loaded`."""
    countryCode: str
    """Jurisdiction, as a two-letter country code (ISO 3166-1 alpha-2)."""
    register: str
    """Identifier of the register that the record comes from."""
    fields: list[str]
    """Names of the fields of the record that have changed: `countryCode`, `register`, `registrationNumber`,
    `canonicalName`, `status`, `legalForm`, `city`, `registeredAt`, `updatedAt`, `jurisdiction`, `registry`,
    `sourceData`, `registrations`, `related`, `parties`. `provenance` and `updatedAt` change with them and are
    not listed; the list is `updatedAt` alone if the record was only written again. Empty if `type` is `added`
    or `loaded`. New values may be added.
    """
    before: ChangedValues | None
    after: ChangedValues | None
    details: list[ChangedDetail] | None
    """What changed in other fields, at most 20 values. `null` if nothing did, and for changes that were imported
    before this field existed.
    """

class ChangePageMeta(TypedDict):
    nextCursor: str
    """Send it as `cursor` to continue. Present on every page, even on an empty one."""
    hasMore: bool
    """Whether there may be more changes already. If so, request the next page at once."""
    oldest: str
    """Cursor before the oldest change that is kept."""

class ChangePage(TypedDict):
    """One page of changes. It may have fewer than `limit` changes, or none."""
    data: list[Change]
    """In the order of the imports, the oldest first."""
    meta: ChangePageMeta

class EntityChangePageMeta(TypedDict):
    nextCursor: str | None
    """Send it as `cursor` to read older changes. `null` if there are none."""
    hasMore: bool
    """Whether there are older changes."""
    oldest: str
    """Cursor before the oldest change that is kept."""

class EntityChangePage(TypedDict):
    """Changes of one company."""
    data: list[Change]
    """The newest first."""
    meta: EntityChangePageMeta

class ExportedRegister(TypedDict):
    """A register whose companies are in an export, and its licence."""
    register: str
    """Identifier of the register."""
    publisher: str
    """Publisher of the register."""
    licence: str
    """Licence of the data."""
    licenceKnown: bool
    """Whether the publisher states a licence."""
    attribution: str | None
    """The text that the publisher wants you to show. `null` if it asks for none."""
    synthetic: bool
    """Whether all its companies are invented, as in the demo."""
    asOf: str | None
    """The day that the data describes, according to its publisher. `null` if unknown."""
    rows: int
    """Number of companies, or of parties."""

class ExportedFile(TypedDict):
    """One file of an export."""
    path: str
    """Path within the generation, below the name of the format."""
    url: str
    """Address of the file. It needs the same API key."""
    country: str
    """Two-letter country code (ISO 3166-1 alpha-2). `ZZ`: parties of a register that spans countries."""
    rows: int
    """Number of companies, or of parties."""
    bytes: int
    """Size in bytes."""
    sha256: str
    """SHA-256 of the file, 64 hexadecimal digits. It is also its `ETag`."""

class Export(TypedDict):
    """All companies, or all parties, of one generation of the data in one format."""
    generation: int
    """Number of the import that published this data. All files of an export are from that moment."""
    dataVersion: str | None
    """The snapshot of the data. It is also a cursor: `/changes` with it has what has changed since."""
    createdAt: str
    """When the export was made."""
    format: Literal["parquet", "ndjson", "csv", "parties-parquet", "parties-ndjson", "parties-csv", "bods"]
    """Format of its files. Those of parties, such as `parties-parquet` and `bods`, have who owns and manages
    companies. New formats may be added.
    """
    rows: int
    """Number of companies, or of parties."""
    bytes: int
    """Size of all its files in bytes."""
    countries: list[str]
    """Countries that it has companies of, sorted."""
    manifestUrl: str
    """Address of the manifest, which also describes the columns. It needs the same API key."""
    licencesUrl: str
    """Address of the licences of the data as a document. It needs the same API key."""
    registers: list[ExportedRegister]
    """The registers in it, with their licences."""
    leftOut: list[str]
    """Registers that were left out because their licence is not known."""
    files: list[ExportedFile]
    """Its files, sorted by path."""

class ExportList(TypedDict):
    data: list[Export]
    """The newest generation first."""

class _MatchQueryOptional(TypedDict, total=False):
    country: str
    """Two-letter country code (ISO 3166-1 alpha-2). Case is ignored."""
    registrationNumber: str
    """A registration number, VAT number or LEI."""
    city: str
    """City of the registered address."""
    postcode: str
    """Postcode of the registered address."""
    legalForm: str
    """Legal form, in words or as an abbreviation."""
    registeredAt: str
    """Date of registration: a year, a month or a day."""
    status: Literal["active", "inactive", "in_liquidation", "insolvent", "dissolved", "delisted", "unknown"]
    """Normalized [status](/docs/status), as in the `status` field of a result. New values may be added."""
    limit: int
    """How many candidates to return at most."""

class MatchQuery(_MatchQueryOptional):
    """A company to find."""
    name: str
    """The name as you have it: misspelt, shortened, in another script or order, with or without its legal form."""

class MatchBatch(TypedDict):
    queries: list[MatchQuery]

class MatchBatchReplyMeta(TypedDict):
    units: int
    """How many requests of the quota this has cost."""

class MatchBatchReply(TypedDict):
    """An answer or an error for every query."""
    data: list[MatchAnswer | ErrorResponse]
    """One answer or error per query, in the order of the queries."""
    meta: MatchBatchReplyMeta

class Monitor(TypedDict):
    """Companies whose changes you want to know, and what counts as a change."""
    id: str
    name: str
    search: dict[str, Any] | None
    """The parameters of the saved search. `null` for a list."""
    types: list[str]
    """The types of change that count."""
    fields: list[str] | None
    """The fields whose changes count. `null`: any."""
    entities: int
    """Number of watched companies."""
    cursor: str
    """Place in the change feed after which changes are reported."""
    problem: str | None
    """Why the monitor has stopped: `too_many_companies` if its saved search matches more than 10,000 companies of
    a register that was imported for the first time. Send a narrower `search` to continue. New values may be
    added.
    """
    createdAt: str

class MonitorListMeta(TypedDict):
    count: int
    """Number of monitors."""
    limit: int
    """Maximum number of monitors of the plan."""
    watched: int
    """Watched companies of all monitors."""
    watchedLimit: int
    """Maximum of the plan."""

class MonitorList(TypedDict):
    data: list[Monitor]
    meta: MonitorListMeta

class CompanyReferenceObject(TypedDict):
    """Country and registration number of a company."""
    countryCode: str
    registrationNumber: str

CompanyReference: TypeAlias = "str | CompanyReferenceObject"

class SavedSearch(TypedDict, total=False):
    """The parameters of a search (`GET /api/v1/entities`) without order and page. At most 10,000 companies may
    match when it is set. See [saved searches](/docs/monitors#saved-searches).
    """
    q: str
    """Part of a company name or of a registration number, or all of it. Case, accents, invisible characters and
    blanks at the start and the end are ignored, several blanks count as one, and all kinds of apostrophes,
    quotation marks and dashes are equal. If the value has only letters, digits and separators (space, `.`, `-`,
    `/`) and at least one digit, it is also compared with numbers after removing the separators from both; a
    value that has separators itself needs at least five letters and digits for this. In countries where the VAT
    number contains the national number, a complete VAT number with its country prefix finds the company, too.
    An empty value matches every company.
    """
    words: str
    """Up to 20 words in any order. A company matches if each of them is a word, the beginning of one or a part of
    one in its current name, in a former or other name, in one of these in Latin letters, or in a registration
    number. Case, accents, signs and repeated words are ignored, and a value without a letter or digit matches
    every company. With `words`, results are sorted by `relevance` unless `sort` says otherwise. See [search by
    words](/docs/paging#what-words-finds).
    """
    country: str
    """Two-letter country code (ISO 3166-1 alpha-2). Case is ignored."""
    register: str
    """Identifier of the register, exactly as in the `register` field of a result."""
    jurisdiction: str
    """Under whose law the company was formed, as in the `jurisdiction` field of a result: a state or province (ISO
    3166-2), or a country without such (ISO 3166-1 alpha-2). Case is ignored. Companies whose register does not
    say it are left out.
    """
    status: Literal["active", "inactive", "in_liquidation", "insolvent", "dissolved", "delisted", "unknown"]
    """Normalized [status](/docs/status), as in the `status` field of a result. New values may be added."""
    legalForm: str
    """National legal form, exactly as in the `legalForm` field of a result."""
    legalFormCode: str
    """Code of the national legal form, exactly as in `registry.legalForm.code` of a record. Registers use the same
    codes for different legal forms, so combine it with `country` or `register`.
    """
    elf: str
    """Code of the [legal form](/docs/legal-forms) in the list of entity legal forms (ELF, ISO 20275), as in the
    `elf` field of a result, or several, separated by commas.
    """
    legalFormClass: str
    """[Class of the legal form](/docs/legal-forms#classes), the same in all countries: `limited_company`,
    `public_company`, `partnership`, `sole_trader`, `branch`, `association`, `foundation`, `cooperative`,
    `public_body`, `other`, or several, separated by commas. New values may be added.
    """
    activity: str
    """National activity: its code, its label in any language of the register, or the complete value as the source
    writes it, each exactly as published.
    """
    activityType: Literal["unlicensed", "licensed"]
    """The kind of activities that `activity` is compared with."""
    isic: str
    """Code of [ISIC Rev. 4](/docs/classifications): a section (`J`), division (`62`), group (`620`) or class
    (`6201`), or several, separated by commas. Finds companies with any activity in one of them.
    """
    registeredFrom: str
    """Only companies registered on this day or later. Companies without a `registeredAt` are left out."""
    registeredTo: str
    """Only companies registered on this day or earlier. Companies without a `registeredAt` are left out."""

class _NewMonitorOptional(TypedDict, total=False):
    entities: list[CompanyReference]
    """Companies to watch, at most 1000 per request: ids, or countries and registration numbers."""
    search: SavedSearch
    types: list[Literal["added", "changed", "delisted", "relisted", "entered", "left"]]
    """The types of change that count: `added` (a watched company appears for the first time), `changed` (fields of
    the record have changed), `delisted` (the register no longer lists the company), `relisted` (the register
    lists the company again), `entered` (the company begins to match the saved search), `left` (the company no
    longer matches the saved search). All of them by default. New values may be added.
    """
    fields: list[Literal["status", "canonicalName", "address", "legalForm", "registeredAt", "related", "parties"]] | None
    """Changes of the type `changed` count only if one of these fields changed. `address` is the city and the
    registered address. `null`, the default: any field. New values may be added.
    """

class NewMonitor(_NewMonitorOptional):
    name: str
    """What the monitor is for: 1 to 60 characters, counted as Unicode code points. It is stored as you send it,
    white space and line breaks included. U+0000 and unpaired surrogates cannot be stored and are rejected.
    """

class CreatedMonitorReplyMeta(TypedDict):
    notFound: list[CompanyReference]
    """The companies of the request that there are not. They were left out."""

class CreatedMonitorReply(TypedDict):
    data: Monitor
    meta: CreatedMonitorReplyMeta

class MonitorReply(TypedDict):
    data: Monitor

class MonitorUpdate(TypedDict, total=False):
    name: str
    """What the monitor is for: 1 to 60 characters, counted as Unicode code points. It is stored as you send it,
    white space and line breaks included. U+0000 and unpaired surrogates cannot be stored and are rejected.
    """
    search: SavedSearch
    types: list[Literal["added", "changed", "delisted", "relisted", "entered", "left"]]
    """The types of change that count: `added` (a watched company appears for the first time), `changed` (fields of
    the record have changed), `delisted` (the register no longer lists the company), `relisted` (the register
    lists the company again), `entered` (the company begins to match the saved search), `left` (the company no
    longer matches the saved search). All of them by default. New values may be added.
    """
    fields: list[Literal["status", "canonicalName", "address", "legalForm", "registeredAt", "related", "parties"]] | None
    """Changes of the type `changed` count only if one of these fields changed. `address` is the city and the
    registered address. `null`, the default: any field. New values may be added.
    """

class UpdatedMonitorReplyMeta(TypedDict):
    cursor: str
    """Place in the change feed. Changes after it are compared with the monitor as it is now."""
    added: int | None
    """Companies that match the new search and did not match the old one. `null` if the search was not changed."""
    removed: int | None
    """Companies that matched the old search and do not match the new one. `null` if the search was not changed."""

class UpdatedMonitorReply(TypedDict):
    data: Monitor
    meta: UpdatedMonitorReplyMeta

class MonitorEntityListMeta(TypedDict):
    next: str | None
    """Send it as `after` to continue. `null` at the end."""

class MonitorEntityList(TypedDict):
    data: list[str]
    """Ids of companies, in order."""
    meta: MonitorEntityListMeta

class MonitorEntityChanges(TypedDict, total=False):
    add: list[CompanyReference]
    """Companies to add, at most 1000 per request: ids, or countries and registration numbers."""
    remove: list[CompanyReference]
    """Companies to remove, at most 1000 per request: ids, or countries and registration numbers."""

class MonitorEntitiesChangedReplyMeta(TypedDict):
    added: int
    """Companies that were not in the list before."""
    removed: int
    """Companies that were in the list."""
    notFound: list[CompanyReference]
    """The companies of the request that there are not. They were left out."""
    cursor: str
    """Place in the change feed. Changes after it are compared with the monitor as it is now."""

class MonitorEntitiesChangedReply(TypedDict):
    data: Monitor
    meta: MonitorEntitiesChangedReplyMeta

class WebhookEndpoint(TypedDict):
    """Where the events of monitors are sent to. The secret is not included."""
    id: str
    url: str
    """Where events are sent to: an https address with a public host, on port 443 or 8443 unless the operator
    allows more. It has no user name and no fragment.
    """
    description: str | None
    """What the endpoint is for, in your words: up to 200 characters, without control characters."""
    monitorIds: list[str] | None
    """The monitors whose events are sent. `null`: all monitors of the account, also future ones."""
    enabled: bool
    """Whether events are sent. A disabled endpoint loses none: they are sent when it is enabled."""
    disabledReason: Literal["owner", "operator", "gone", "failing"] | None
    """Why it is disabled: `owner` or `operator` did it, the receiver answered 410 (`gone`), or ten attempts to
    deliver an event failed (`failing`). `null` while it is enabled.
    """
    disabledAt: str | None
    """When it was disabled."""
    previousSecretEndsAt: str | None
    """Until then, the secret before the last rotation signs, too. `null` if it was never rotated."""
    createdAt: str

class WebhookEndpointListMeta(TypedDict):
    count: int
    """Number of active endpoints."""
    limit: int
    """Maximum number of active endpoints of the plan."""

class WebhookEndpointList(TypedDict):
    data: list[WebhookEndpoint]
    meta: WebhookEndpointListMeta

class _NewWebhookEndpointOptional(TypedDict, total=False):
    description: str | None
    """What the endpoint is for, in your words: up to 200 characters, without control characters."""
    monitorIds: list[str] | None
    """The monitors whose events are sent. `null`: all monitors of the account, also future ones."""

class NewWebhookEndpoint(_NewWebhookEndpointOptional):
    url: str
    """Where events are sent to: an https address with a public host, on port 443 or 8443 unless the operator
    allows more. It has no user name and no fragment.
    """

class CreatedWebhookEndpoint(TypedDict):
    """A webhook endpoint with a new secret."""
    id: str
    url: str
    """Where events are sent to: an https address with a public host, on port 443 or 8443 unless the operator
    allows more. It has no user name and no fragment.
    """
    description: str | None
    """What the endpoint is for, in your words: up to 200 characters, without control characters."""
    monitorIds: list[str] | None
    """The monitors whose events are sent. `null`: all monitors of the account, also future ones."""
    enabled: bool
    """Whether events are sent. A disabled endpoint loses none: they are sent when it is enabled."""
    disabledReason: Literal["owner", "operator", "gone", "failing"] | None
    """Why it is disabled: `owner` or `operator` did it, the receiver answered 410 (`gone`), or ten attempts to
    deliver an event failed (`failing`). `null` while it is enabled.
    """
    disabledAt: str | None
    """When it was disabled."""
    previousSecretEndsAt: str | None
    """Until then, the secret before the last rotation signs, too. `null` if it was never rotated."""
    createdAt: str
    secret: str
    """Verifies the signatures of what is sent. Store it now: it is never shown again."""

class CreatedWebhookEndpointReply(TypedDict):
    data: CreatedWebhookEndpoint

class WebhookEndpointReply(TypedDict):
    data: WebhookEndpoint

class WebhookEndpointChange(TypedDict, total=False):
    """What to change. What is left out stays as it is."""
    url: str
    """Where events are sent to: an https address with a public host, on port 443 or 8443 unless the operator
    allows more. It has no user name and no fragment.
    """
    description: str | None
    """What the endpoint is for, in your words: up to 200 characters, without control characters."""
    monitorIds: list[str] | None
    """The monitors whose events are sent. `null`: all monitors of the account, also future ones."""
    enabled: bool
    """`true` sends everything that was not delivered, and what has happened since. `false` pauses."""

class WebhookAttempt(TypedDict):
    """One request to the receiver."""
    at: str
    status: int | None
    """The status of the response. `null` if there was none."""
    reason: str | None
    """Why there was no response. `null` if there was one."""
    body: str
    """The first 500 bytes of the response."""
    tookMs: int
    """How long it took, in milliseconds."""

class WebhookDelivery(TypedDict):
    """One event for one endpoint. It costs one unit of quota when it is sent, whatever the receiver answers.
    Retries are free. An attempt that ends before anything is sent, such as a connection that is refused, costs
    nothing.
    """
    id: str
    """The header `webhook-id`: the same in every attempt, and in a replay."""
    type: str
    """The `type` of the payload."""
    state: Literal["waiting", "delivered", "failed"]
    """`waiting` for its first or next attempt, for the quota, or for the endpoint to be enabled; `delivered`;
    `failed` after ten attempts. A test fails after one attempt, or if its endpoint is disabled while it waits.
    """
    payload: str | None
    """What is sent, as JSON text. `null` until it was sent for the first time, which is when it is charged."""
    createdAt: str
    nextAttemptAt: str | None
    """When the next attempt is due. `null` if there is none."""
    deliveredAt: str | None
    """When the receiver accepted it. `null` if it has not."""
    attempts: list[WebhookAttempt]
    """The latest twelve attempts, oldest first."""

class WebhookDeliveryList(TypedDict):
    data: list[WebhookDelivery]

class WebhookDeliveryReply(TypedDict):
    data: WebhookDelivery
