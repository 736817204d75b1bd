import { type Html, html } from './html.ts';

/** The frame of every page. */
export function layout(title: string, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${title} · Firmament</title>
  <link rel="stylesheet" href="/assets/app.css">
  <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
</head>
<body>
  <header class="bar">
    <a class="brand" href="/">Firmament</a>
    <nav aria-label="Main"><a href="/docs">API reference</a> <a href="/docs/errors">Errors</a></nav>
  </header>
  <main>${content}</main>
</body>
</html>
`;
}
