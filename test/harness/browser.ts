import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = [
  process.env.CHROME_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Chromium as it is on the machine, else installed: tests in a browser are never skipped. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser() ?? installBrowser();
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  return chromium.launch({ args, ...(executablePath && { executablePath }) });
}

function findBrowser(): string | undefined {
  const own = chromium.executablePath();
  return [...PLACES, own].find((place) => place !== '' && existsSync(place));
}

/** By Debian's packages where we may, else by Playwright's own installer. */
function installBrowser(): string | undefined {
  const stdio = 'inherit';
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['update', '-qq'], { stdio, env });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { stdio, env });
  } else {
    execFileSync('npx', ['playwright-core', 'install', 'chromium'], { stdio });
  }
  const found = findBrowser();
  if (found === undefined)
    throw new Error('no Chromium on this machine, and it could not be installed: set CHROME_PATH');
  return found;
}
