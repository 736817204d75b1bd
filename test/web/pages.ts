import type { TestService, TestSession } from '../harness/service.ts';

/** A page as a browser requests it. Redirects are not followed. */
export interface OpenedPage {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The text without markup, white space collapsed. */
  readonly text: string;
}

export type OpenPage = (
  path: string,
  session?: TestSession,
  form?: Record<string, string>,
  from?: string,
) => Promise<OpenedPage>;

/** If a form is given, it is submitted to the path as one of our pages would. `from` is the address of that page. */
export function pageOpener(service: TestService): OpenPage {
  return async (path, session, form, from = '/') => {
    const init: RequestInit = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
    const headers = {
      accept: 'text/html',
      ...(form && { origin: service.url, referer: service.url + from }),
      ...session?.headers,
    };
    const response = await fetch(service.url + path, { ...init, headers, redirect: 'manual' });
    const html = await response.text();
    return { status: response.status, headers: response.headers, html, text: textOf(html) };
  };
}

function textOf(html: string): string {
  return html
    .replace(/<head>.*?<\/head>/s, '')
    .replaceAll('<wbr>', '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Company names that try to break a page. */
export const HOSTILE_NAMES = {
  script: `<script>document.title='owned'</script><img src=x onerror="document.title='owned'">`,
  quotes: `"O'Neil" & <b>Sons</b> \`LTD\` \${x} {{y}}`,
  lines: 'LINE ONE\nLINE TWO\tTAB',
  turned: 'ABC \u202eDEF\u202c \u2066GHI',
  hebrew: 'חברת דוגמה בע"מ',
  arabic: 'شركة النور القابضة',
  cyrillic: 'ООО «Северная звезда»',
  long: `LONG ${'ENDLESSLY '.repeat(40)}${'X'.repeat(300)}`,
} as const;
