#!/usr/bin/env node
// For containers: exits with 0 while the server of this machine answers. The image has neither curl nor wget.
const port = process.env.PORT || '3000';
try {
  const reply = await fetch(`http://127.0.0.1:${port}/api/v1/health/live`, { signal: AbortSignal.timeout(2_500) });
  process.exitCode = reply.status === 200 ? 0 : 1;
} catch {
  process.exitCode = 1;
}
