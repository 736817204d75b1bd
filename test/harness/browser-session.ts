/** One page that the fake browser opened. */
export interface Step {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser without rendering: follows redirects and keeps cookies per origin and path. */
export interface FakeBrowser {
  /** Follows redirects to a page, or stops at a redirect whose target matches `until`. */
  open(url: string, init?: RequestInit, until?: RegExp): Promise<Step>;
  submit(page: Step, fields: Record<string, string>, until?: RegExp): Promise<Step>;
  cookie(name: string): string | undefined;
  setCookie(name: string, value: string): void;
}

export function createBrowser(): FakeBrowser {
  const jar = new Map<string, { origin: string; path: string; name: string; value: string }>();

  function keep(url: URL, header: string): void {
    const [pair = '', ...attributes] = header.split(/; */);
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/';
    const isExpired = attributes.some((each) => /^max-age=0$/i.test(each) || /^expires=.*1970/i.test(each));
    const key = `${url.origin} ${path} ${name}`;
    if (isExpired) jar.delete(key);
    else jar.set(key, { origin: url.origin, path, name, value });
  }

  function cookiesFor(url: URL): string {
    return [...jar.values()]
      .filter(({ origin, path }) => origin === url.origin && url.pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  async function open(address: string, init: RequestInit = {}, until?: RegExp): Promise<Step> {
    const url = new URL(address);
    const headers = new Headers(init.headers);
    headers.set('cookie', cookiesFor(url));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const header of response.headers.getSetCookie()) keep(url, header);
    const step = { url: address, status: response.status, headers: response.headers, text: await response.text() };
    const location = response.headers.get('location');
    if (location === null) return step;
    const next = new URL(location, url).href;
    return until?.test(next) ? { ...step, url: next } : open(next, {}, until);
  }

  return {
    open,
    submit(page, fields, until) {
      const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(page.text) ?? [];
      const target = new URL(action, page.url);
      const init = { method: 'POST', body: new URLSearchParams(fields), headers: { origin: target.origin } };
      return open(target.href, init, until);
    },
    cookie: (name) => [...jar.values()].find((cookie) => cookie.name === name)?.value,
    setCookie(name, value) {
      for (const [key, cookie] of jar) if (cookie.name === name) jar.set(key, { ...cookie, value });
    },
  };
}
