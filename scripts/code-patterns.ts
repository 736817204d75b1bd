/** Patterns of code that `layers.ts` allows only in some files. */

export function usesOfProcess(member: string): RegExp {
  const braces = `\\{[^{}]*\\b${member}\\b[^{}]*\\}`;
  return new RegExp(
    `\\bprocess\\s*\\??\\.\\s*${member}\\b|${braces}\\s*=\\s*process\\b|${braces}\\s*from\\s*['"](?:node:)?process['"]`,
    'g',
  );
}

export function usesOfStatusNumbers(): RegExp {
  const name = '\\b\\w*(?:[sS]tatus(?:Code)?|STATUS)\\b';
  const number = '\\b[1-5]\\d\\d\\b';
  const joined = `${name}\\s*(?::\\s*number\\s*)?(?:[!=]==?|[<>]=?|[:=]|\\?\\?|\\|\\|)\\s*${number}`;
  const reversed = `${number}\\s*(?:[!=]==?|[<>]=?)\\s*(?:[\\w$]+\\??\\.)*${name}`;
  return new RegExp(`${joined}|${reversed}|\\.(?:code|status|writeHead)\\(\\s*${number}`, 'g');
}
