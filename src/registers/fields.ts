/**
 * The fields of a register's table: each field reads a value from one or more columns of a row. A field is made once, when the program starts,
 * and read for every row. `fieldsOf` makes the fields for one kind of row.
 */
import type { EntityStatus } from '../base/entity-status.ts';
import { type AddressParts, type AddressStyle, findCountryCode } from './address.ts';
import type { Activity, Cell, UnknownKind } from './contract.ts';
import type { CodeTexts } from './data-files.ts';
import { type Common, compileFields, type Field, findGravest, type State, type Values } from './field.ts';
import {
  compact,
  readAmount,
  readCount,
  readDate,
  readMonthFirst,
  type Tree,
  textOf,
  treeOf,
  treesOf,
} from './parsing.ts';
import type { AddressOf, LegalFormOf, TypedAddressOf } from './vocabulary.ts';

export { type Common, type Field, findGravest, NO_COMMON, type State } from './field.ts';

/** The fields for one kind of row. `find` returns a function that reads the text of a column or key; the text is '' if a row has none. */
export function fieldsOf<Row, Codes>(find: (name: string) => (row: Row) => string) {
  type F<Value> = Field<Row, Codes, Value>;
  type Find = ReturnType<typeof find>;

  /** The value that `parse` makes of the trimmed text. `parse` returns undefined for a text that means no value, and null for a text to report. */
  function parsed<Value>(
    parse: (text: string) => Value | null | undefined,
    problem: string,
  ): (name: string) => F<Value> {
    return (name) => {
      const read = find(name);
      const field: F<Value> = (row, context) => {
        const text = read(row).trim();
        if (text === '') return null;
        const value = parse(text);
        if (value === null) context.report(name, text, problem);
        return value ?? null;
      };
      return Object.assign(field, { column: { read, name, parse, problem } });
    };
  }

  /** The text, without white space around it. */
  function text(name: string): F<string> {
    const read = find(name);
    const field: F<string> = (row) => read(row).trim() || null;
    return Object.assign(field, { column: { read, name, parse: null, problem: '' } });
  }

  /** The first field that the row has. */
  function first<Value>(...fields: readonly F<Value>[]): F<Value> {
    return (row, context, common) => {
      for (const field of fields) {
        const value = field(row, context, common);
        if (value !== null) return value;
      }
      return null;
    };
  }

  /** An object of fields, without the fields that the row lacks. */
  function group<const Fields extends Readonly<Record<string, F<unknown>>>>(fields: Fields): F<Values<Fields>> {
    return compileFields(fields) as F<Values<Fields>>;
  }

  return {
    parsed,
    text,
    first,
    group,
    /** An object of fields. Null if the row lacks one of the fields in `names`. */
    groupWith<const Fields extends Readonly<Record<string, F<unknown>>>, Name extends keyof Fields>(
      names: readonly Name[],
      fields: Fields,
    ): F<Values<Fields> & Required<Pick<Values<Fields>, Name>>> {
      const read = group(fields);
      return (row, context, common) => {
        const found = read(row, context, common) as (Values<Fields> & Required<Pick<Values<Fields>, Name>>) | null;
        return found !== null && names.every((name) => found[name] !== undefined) ? found : null;
      };
    },
    day: parsed(readDate, 'not a date'),
    /** A day that is written with the month first. */
    monthFirst: parsed(readMonthFirst, 'not a date'),
    whole: parsed(readCount, 'not a whole number'),
    amount: parsed(readAmount, 'not an amount'),

    /** A number that `write` converts to the form of the register. A text that does not match `form` is kept unchanged, and reported. */
    number(name: string, form: RegExp, problem: string, write = (written: string) => written): F<string> {
      const read = find(name);
      return (row, context) => {
        const written = read(row).trim();
        if (written === '') return null;
        const number = write(written);
        if (form.test(number)) return number;
        context.report(name, written, problem);
        return written;
      };
    },

    /** The texts of several columns. */
    texts(...names: readonly string[]): F<readonly string[]> {
      const columns = names.map(find);
      return (row) => {
        const found: string[] = [];
        for (const read of columns) {
          const trimmed = read(row).trim();
          if (trimmed !== '') found.push(trimmed);
        }
        return found.length > 0 ? found : null;
      };
    },

    /** Splits a text at the outer separator, and each part at the inner separator. */
    split(name: string, outer: string, inner: string): (row: Row) => readonly (readonly string[])[] {
      const read = find(name);
      return (row) =>
        read(row)
          .split(outer)
          .map((part) => part.split(inner).map((one) => one.trim()));
    },

    /** The texts of several columns as one text. */
    concat(separator: string, ...names: readonly string[]): F<string> {
      const reads = names.map(find);
      return (row) => {
        let found = '';
        for (const read of reads) {
          const trimmed = read(row).trim();
          if (trimmed !== '') found += found === '' ? trimmed : separator + trimmed;
        }
        return found || null;
      };
    },

    /** The boolean that `words` has for the text. A text that `words` lacks is reported. */
    flag(name: string, words: Readonly<Record<string, boolean>>, problem: string): F<boolean> {
      const known = new Map(Object.entries(words));
      return parsed((written) => known.get(written) ?? null, problem)(name);
    },

    /** True if the text matches. */
    is(name: string, pattern: RegExp): F<true> {
      const read = find(name);
      return (row) => (pattern.test(read(row).trim()) ? true : null);
    },

    /** A code with its text in a list. If `kind` is given, a code that the list lacks is reported. */
    code(
      name: string,
      labels: ReadonlyMap<string, string>,
      kind?: UnknownKind,
    ): F<{ readonly code: string; readonly label?: string }> {
      const read = find(name);
      return (row, context) => {
        const code = read(row).trim();
        const label = labels.get(code);
        if (kind !== undefined && code !== '' && label === undefined) context.reportUnknown(kind, name, code);
        return code === '' ? null : label === undefined ? { code } : { code, label };
      };
    },

    /** The legal form in a column for the code and a column for the text. A code without a text is reported. */
    legalForm(codeName: string, labelName: string): F<LegalFormOf> {
      const [readCode, readLabel] = [find(codeName), find(labelName)];
      return (row, context) => {
        const [code, label] = [readCode(row).trim(), readLabel(row).trim()];
        if (code !== '' && label === '') context.reportUnknown('legalForm', codeName, code);
        return code === '' && label === '' ? null : compact({ code, label });
      };
    },

    /** The value that a list has for the text. A text that the list lacks is reported, and its value is `otherwise`. */
    listed<Value>(name: string, list: ReadonlyMap<string, Value>, problem: string, otherwise: Value): F<Value> {
      const read = find(name);
      return (row, context) => {
        const written = read(row).trim();
        const value = list.get(written);
        if (value === undefined) context.report(name, written, problem);
        return value ?? otherwise;
      };
    },

    /** The value that a list has for the text. */
    lookup<Value>(name: string, list: ReadonlyMap<string, Value>): F<Value> {
      const read = find(name);
      return (row) => list.get(read(row).trim()) ?? null;
    },

    /** An activity with a code. */
    activity(scheme: string, code: string, more: { label?: F<string>; edition?: F<string>; main?: true }): F<Activity> {
      const read = find(code);
      return (row, context, common) => {
        const written = read(row).trim();
        if (written === '') return null;
        const label = more.label?.(row, context, common) ?? null;
        const edition = more.edition?.(row, context, common) ?? null;
        const main = more.main && { main: true };
        return { type: 'unlicensed', code: written, label, scheme, ...(edition !== null && { edition }), ...main };
      };
    },

    /** A list of the fields that the row has. */
    listOf<Value>(...fields: readonly F<Value>[]): F<readonly Value[]> {
      return (row, context, common) => {
        const found = fields.map((field) => field(row, context, common)).filter((value) => value !== null);
        return found.length > 0 ? found : null;
      };
    },

    /** One list with the items of several lists. */
    joinLists<Value>(...lists: readonly F<readonly Value[]>[]): F<readonly Value[]> {
      return (row, context, common) => lists.flatMap((list) => list(row, context, common) ?? []);
    },

    /** The status that a list has for the code in a column, with the text and the first day from other columns. */
    codedStatus(
      codeName: string,
      statuses: ReadonlyMap<string, EntityStatus>,
      labelName: string,
      since: string,
    ): F<State> {
      const [readCode, readLabel, readSince] = [codeName, labelName, since].map(find) as [Find, Find, Find];
      return (row, context) => {
        const code = readCode(row).trim();
        const status = statuses.get(code);
        if (status === undefined) context.reportUnknown('status', codeName, code);
        return { status: status ?? 'unknown', code, label: readLabel(row).trim(), since: readSince(row).trim() };
      };
    },

    /** The status that a list has for the text, which `key` converts to the form of the list. A text that the list lacks is reported. */
    status(name: string, statuses: ReadonlyMap<string, EntityStatus>, key = (written: string) => written): F<State> {
      const read = find(name);
      return (row, context) => {
        const label = read(row).trim();
        const status = statuses.get(key(label));
        if (status === undefined) context.reportUnknown('status', name, label);
        return { status: status ?? 'unknown', label: label || null };
      };
    },

    /** A code with its text in another column. */
    coded: (codeName: string, labelName: string) => group({ code: text(codeName), label: text(labelName) }),

    /** The gravest of several statuses. A company with an end date is dissolved, whatever its statuses are. */
    gravest(states: F<readonly State[]>): F<State> {
      return (row, context, common) => {
        const found = findGravest(states(row, context, common) ?? []);
        return common.endedAt === null ? (found ?? null) : { ...found, status: 'dissolved' };
      };
    },

    /** The code of the country whose name the text is in one of the languages. */
    countryCode(name: string, ...languages: readonly string[]): F<string> {
      const read = find(name);
      return (row) => findCountryCode(read(row), languages);
    },

    /** An address that is made of parts. `written` has the parts that the text of the address writes in another way. */
    address(parts: F<AddressParts>, style: AddressStyle, written?: F<object>): F<AddressOf> {
      return (row, context, common) => {
        const found = parts(row, context, common);
        if (found === null) return null;
        const text = found.text ?? style(found, written?.(row, context, common) as never);
        return text === '' ? null : ({ text, ...found } as AddressOf);
      };
    },

    /** A list with one further address. */
    further(type: TypedAddressOf['type'], field: F<AddressOf>): F<readonly TypedAddressOf[]> {
      return (row, context, common) => {
        const found = field(row, context, common);
        return found === null ? null : [{ type, ...found }];
      };
    },

    /** A list with the fields of every item that `list` returns. An item without any of the fields is an empty object. */
    all<Item, Value extends object>(
      list: (row: Row, common: Common) => readonly Item[],
      field: Field<Item, Codes, Value>,
    ): F<readonly Value[]> {
      return (row, context, common) => list(row, common).map((item) => field(item, context, common) ?? ({} as Value));
    },

    /** A list with the field of every item that has the field. */
    each<Item, Value>(
      list: (row: Row, common: Common) => readonly Item[],
      field: Field<Item, Codes, Value>,
    ): F<readonly Value[]> {
      return (row, context, common) => {
        const found: Value[] = [];
        for (const item of list(row, common)) {
          const value = field(item, context, common);
          if (value !== null) found.push(value);
        }
        return found.length > 0 ? found : null;
      };
    },
  };
}

/** Fields of lists with current and past entries. `until` is the key of the last day of an entry; an entry in force has no last day. */
export function histories<Codes = unknown>(from: string, until: string) {
  const isCurrent = (entry: Tree) => textOf(entry, until) === '';
  const rank = (entry: Tree) => `${textOf(entry, until) || '9'} ${textOf(entry, from)}`;
  /** All entries: first the entries in force, then the past entries, with the latest end first. */
  const listLatest = (tree: Tree, key: string) => treesOf(tree, key).toSorted((a, b) => (rank(a) < rank(b) ? 1 : -1));
  return {
    isCurrent,
    listLatest,
    /** The entries in force. */
    current: (key: string) => (tree: Tree) => treesOf(tree, key).filter(isCurrent),
    /** The field of the latest entry, because all entries of a company that has ended may have ended, too. */
    latest<Value>(key: string, field: Field<Tree, Codes, Value>): Field<Tree, Codes, Value> {
      return (tree, context, common) => field(listLatest(tree, key)[0] ?? {}, context, common);
    },
  };
}

/** The fields of a row of a table. */
export function tableFields<Codes = unknown>() {
  return {
    ...fieldsOf<Cell, Codes>((column) => (cell) => cell(column)),
    /** The field of the row of a joined table, if the table has one row for a company. */
    joined:
      <Value>(table: string, field: Field<Cell, Codes, Value>): Field<unknown, Codes, Value> =>
      (_row, context, common) => {
        const [row] = common.rows(table);
        return row === undefined ? null : field(row, context, common);
      },
    /** The rows of a joined table. */
    rowsOf:
      (table: string) =>
      (_: unknown, { rows }: Common) =>
        rows(table),
  };
}

/** The fields of a row of a register whose code lists are imported with its tables. */
export function codeFields() {
  const fields = tableFields<CodeTexts>();
  const labelIn =
    (list: string, column: string): Field<Cell, CodeTexts, string> =>
    (cell, { codes }) =>
      codes.get(list)?.get(cell(column).trim()) ?? null;
  return {
    ...fields,
    /** The text of the code in a column. */
    labelIn,
    /** A code with its text in a list. If `kind` is given and the list was imported, a code that the list lacks is reported. */
    codeIn(list: string, column: string, kind?: UnknownKind) {
      const read = fields.group({ code: fields.text(column), label: labelIn(list, column) });
      return (...row: Parameters<typeof read>) => {
        const found = read(...row);
        const isUnknown = kind !== undefined && found?.label === undefined && row[1].codes.has(list);
        if (isUnknown && found?.code !== undefined) row[1].reportUnknown(kind, column, found.code);
        return found;
      };
    },
  };
}

/** The fields of a JSON or XML record, or of an object inside one. A key may be a path to a text inside objects: `country.code`. */
export function treeFields<Codes = unknown>() {
  return {
    ...fieldsOf<Tree, Codes>((path) => {
      const keys = path.split('.');
      const key = keys.pop() ?? '';
      return keys.length === 0 ? (tree) => textOf(tree, key) : (tree) => textOf(keys.reduce(treeOf, tree), key);
    }),
    /** The field of an object under a key, or at a path of keys. */
    at<Value>(path: string, field: Field<Tree, Codes, Value>): Field<Tree, Codes, Value> {
      const keys = path.split('.');
      return (tree, context, common) => field(keys.reduce(treeOf, tree), context, common);
    },
    /** The objects of a list under a key. */
    itemsOf: (key: string) => (tree: Tree) => treesOf(tree, key),
  };
}
