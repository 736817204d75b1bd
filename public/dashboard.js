// A reload after creating a key must not submit the form again.
if (location.pathname !== '/dashboard') history.replaceState(null, '', '/dashboard');
