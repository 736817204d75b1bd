import { PaymentError } from './errors.ts';

/** A form with brackets in its names, as a tree. Maps, so that no name means anything to the language. */
export type Form = Map<string, string | Form>;

const DEEPEST = 6;

export function parseForm(text: string): Form {
  const form: Form = new Map();
  for (const [name, value] of new URLSearchParams(text)) {
    const path = splitName(name);
    let branch = form;
    for (const step of path.slice(0, -1)) branch = openBranch(branch, step, name);
    const last = path.at(-1) ?? '';
    if (branch.get(stepName(branch, last)) instanceof Map) throw malformed(name);
    branch.set(stepName(branch, last), value);
  }
  return form;
}

/** `items[0][price]` → `items`, `0`, `price`. */
function splitName(name: string): string[] {
  const [, first, rest] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name) ?? [];
  if (first === undefined || rest === undefined) throw malformed(name);
  const path = [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, step = '']) => step)];
  if (path.length > DEEPEST) throw malformed(name);
  return path;
}

function openBranch(branch: Form, step: string, name: string): Form {
  const key = stepName(branch, step);
  const found = branch.get(key);
  if (typeof found === 'string') throw malformed(name);
  if (found !== undefined) return found;
  const made: Form = new Map();
  branch.set(key, made);
  return made;
}

/** Empty brackets mean the next place of a list. */
function stepName(branch: Form, step: string): string {
  return step === '' ? String(branch.size) : step;
}

function malformed(name: string): PaymentError {
  return new PaymentError(`Invalid parameter name: ${name}`, { param: name });
}
