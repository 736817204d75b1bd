#!/usr/bin/env node
// The package has a build. A clone of the repository has the sources instead, and npx runs them on the Node 26 that npm installed there.
import { existsSync } from 'node:fs';

const sources = new URL('../src/cli/main.ts', import.meta.url);
const built = new URL('../dist/cli/main.js', import.meta.url);
const { runProcess } = await import((existsSync(sources) ? sources : built).href);
await runProcess();
