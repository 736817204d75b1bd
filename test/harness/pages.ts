import type { TestService, TestSession } from './service.ts';

/** A page as a browser asks for it, without following redirects. */
export interface OpenedPage {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** What is left when the markup is taken away, blanks collapsed. */
  readonly text: string;
}

export type OpenPage = (path: string, session?: TestSession, form?: Record<string, string>) => Promise<OpenedPage>;

/** With a form it is sent to the path, as by a page of ours. */
export function pageOpener(service: TestService): OpenPage {
  return async (path, session, form) => {
    const init: RequestInit = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
    const headers = { accept: 'text/html', ...(form && { origin: service.url }), ...session?.headers };
    const response = await fetch(service.url + path, { ...init, headers, redirect: 'manual' });
    const html = await response.text();
    return { status: response.status, headers: response.headers, html, text: textOf(html) };
  };
}

function textOf(html: string): string {
  return html
    .replace(/<head>.*?<\/head>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Names as nobody should have to meet them. */
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
