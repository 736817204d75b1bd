/** The fields of `registry` that are objects or lists. */
import type { MapContext } from '../contract.ts';
import { compact, parseDay, readAmount, readDayOf, type Tree, textOf, textsOf, treeOf, treesOf } from '../parsing.ts';

type Context = MapContext<null>;

export function readCapital(subject: Tree, context: Context) {
  const text = textOf(subject, 'AUTHORIZED_CAPITAL').replaceAll(/\s/g, '');
  if (text === '') return null;
  const amount = readAmount(text);
  if (amount === null) context.report('AUTHORIZED_CAPITAL', text, 'not an amount');
  return amount === null ? null : { amount, currency: 'UAH' };
}

/** Role, name, address and share are one text, which is kept as it is. Newer entries may be objects. */
export function listPeople(subject: Tree, list: string, item: string): readonly (string | Tree)[] {
  const own = textOf(subject, list);
  const parent = treeOf(subject, list);
  const value = parent[item];
  const items = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const found = items.flatMap((entry): (string | Tree)[] => {
    if (typeof entry === 'string') return entry.trim() === '' ? [] : [entry.trim()];
    return typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? [entry as Tree] : [];
  });
  return own === '' ? found : [own, ...found];
}

export function listBranches(subject: Tree) {
  return treesOf(treeOf(subject, 'BRANCHES'), 'BRANCH').map((branch) =>
    compact({ number: textOf(branch, 'CODE'), name: textOf(branch, 'NAME'), head: textOf(branch, 'SIGNER') }),
  );
}

export function readBankruptcy(info: Tree, context: Context) {
  return compact({
    at: readDayOf(info, 'OP_DATE', context),
    reason: textOf(info, 'REASON'),
    state: textOf(info, 'SBJ_STATE'),
    administrator: textOf(info, 'SIGNER_NAME'),
  });
}

/**
 * Registrations with the tax and pension offices. A record may have parallel lists, such as several registers and
 * several start dates. Items are matched by position, but only if the lists have the same length.
 */
export function listTaxRecords(subject: Tree, context: Context) {
  const data = treeOf(subject, 'EXCHANGE_DATA');
  // Some records have the lists directly in EXCHANGE_DATA.
  const answers = [...treesOf(data, 'EXCHANGE_ANSWER'), ...(textsOf(data, 'TAX_PAYER_TYPE').length > 0 ? [data] : [])];
  return answers.flatMap((answer) => {
    const registers = textsOf(answer, 'TAX_PAYER_TYPE');
    const records = registers.map((register, index) => {
      const partOf = (key: string) => {
        const texts = textsOf(answer, key);
        return (texts.length === registers.length && texts[index]) || '';
      };
      const day = (key: string) => parseDay(key, partOf(key), context);
      const [from, until] = [day('START_DATE'), day('END_DATE')];
      return compact({ register, from, number: partOf('START_NUM'), until, endNumber: partOf('END_NUM') });
    });
    return records.filter((record) => Object.keys(record).length > 0);
  });
}
