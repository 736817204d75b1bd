/** The words of the table language: each makes a field, which reads a value from one or more columns of a row. */

import type { EntityStatus } from '../base/entity-status.ts';
import { intern } from '../base/intern.ts';
import { type AddressParts, type AddressStyle, findCountryCode } from './address.ts';
import type { Activity, MapContext, UnknownKind } from './contract.ts';
import { type Common, compileFields, type Field, findGravest, type State, type Values } from './field.ts';
import { compact, readAmount, readCount, readDate, readMonthFirst } from './parsing.ts';
import type { AddressOf, LegalFormOf, TypedAddressOf } from './vocabulary.ts';

/** A list of statuses, or patterns: `{ get: lists.patterns('status') }`. */
interface Statuses {
  get(text: string): EntityStatus | undefined;
}

/** The fields for one kind of row. `find` returns a function that reads the text of a column or key; the text is '' if a row has none. */
export function fieldsOf<Row, Codes>(findColumn: (name: string) => (row: Row) => string) {
  type F<Value> = Field<Row, Codes, Value>;
  const find = (name: string) => findColumn(intern(name));

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

  /** What `make` makes of the trimmed text, which may be empty. */
  function made<Value>(name: string, make: (written: string, context: MapContext<Codes>) => Value | null): F<Value> {
    const read = find(name);
    return (row, context) => make(read(row).trim(), context);
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

  /** The status of the text, which `key` converts to the form of the list. A text that the list lacks is reported. */
  function knownStatus(name: string, statuses: Statuses, key = (written: string) => written): F<EntityStatus> {
    return made(name, (written, context) => {
      const status = statuses.get(key(written));
      if (status === undefined) context.reportUnknown('status', name, written);
      return status ?? 'unknown';
    });
  }

  /** A list of the fields that the row has. */
  function listOf<Value>(...fields: readonly F<Value>[]): F<readonly Value[]> {
    return (row, context, common) => {
      const found: Value[] = [];
      for (const field of fields) {
        const value = field(row, context, common);
        if (value !== null) found.push(value);
      }
      return found;
    };
  }

  /** An address in a list. `more` is what such an address has besides. */
  function typed(
    typeOf: (row: Row) => TypedAddressOf['type'],
    field: F<AddressOf>,
    more?: F<object>,
  ): F<TypedAddressOf> {
    return (...row) => {
      const found = field(...row);
      return found === null ? null : ({ type: typeOf(row[0]), ...found, ...more?.(...row) } as TypedAddressOf);
    };
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
      return made(name, (written, context) => {
        const number = write(written);
        if (form.test(number) || written === '') return written === '' ? null : number;
        context.report(name, written, problem);
        return written;
      });
    },

    /** The text, if it matches. Another text is reported. */
    matching(name: string, pattern: RegExp, problem: string): F<string> {
      return parsed((written) => (pattern.test(written) ? written : null), problem)(name);
    },

    /** The text, in which a replacement stands for what the pattern matches. */
    replaced(name: string, pattern: RegExp, replacement: string | ((match: string) => string) = ''): F<string> {
      return made(name, (written) => (written === '' ? null : written.replace(pattern, replacement as string) || null));
    },

    /** The object, with further details. */
    extend<Value extends object, const More extends object>(field: F<Value>, more: More): F<Value & More> {
      return (...row) => {
        const found = field(...row);
        return found === null ? null : { ...found, ...more };
      };
    },

    /** A list of names. All of them get the other details. */
    names<const More extends object = Record<never, never>>(
      field: F<readonly string[]>,
      more = {} as More,
    ): F<readonly ({ readonly name: string } & More)[]> {
      return (...row) => field(...row)?.map((name) => ({ name, ...more })) ?? null;
    },

    /** The texts of several columns. */
    texts(...names: readonly string[]): F<readonly string[]> {
      const reads = names.map(find);
      return (row) => {
        const found: string[] = [];
        for (const read of reads) {
          const written = read(row).trim();
          if (written !== '') found.push(written);
        }
        return found;
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
          const written = read(row).trim();
          if (written !== '') found += found === '' ? written : separator + written;
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
    is: (name: string, pattern: RegExp): F<true> => made(name, (written) => (pattern.test(written) ? true : null)),

    /** A code with its text in a list. If `kind` is given, a code that the list lacks is reported. */
    code(
      name: string,
      labels: ReadonlyMap<string, string>,
      kind?: UnknownKind,
    ): F<{ readonly code: string; readonly label?: string }> {
      return made(name, (code, context) => {
        const label = labels.get(code);
        if (kind !== undefined && code !== '' && label === undefined) context.reportUnknown(kind, name, code);
        if (code === '') return null;
        return label === undefined ? { code } : { code, label };
      });
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
      return made(name, (written, context) => {
        const value = list.get(written);
        if (value === undefined) context.report(name, written, problem);
        return value ?? otherwise;
      });
    },

    /** The value that a list has for the text. */
    lookup<Value>(name: string, list: ReadonlyMap<string, Value>): F<Value> {
      return made(name, (written) => list.get(written) ?? null);
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

    listOf,

    /** A list without repeated items. */
    distinct<Value>(list: F<readonly Value[]>): F<readonly Value[]> {
      return (...row) => [...new Set(list(...row))];
    },

    /** One list with the items of several lists. */
    joinLists<Value>(...lists: readonly F<readonly Value[]>[]): F<readonly Value[]> {
      return (row, context, common) => lists.flatMap((list) => list(row, context, common) ?? []);
    },

    knownStatus,

    /** The status of the text in a column. */
    status(name: string, statuses: Statuses, key?: (written: string) => string): F<State> {
      const [read, readStatus] = [find(name), knownStatus(name, statuses, key)];
      return (...row) => ({ status: readStatus(...row) ?? 'unknown', label: read(row[0]).trim() || null });
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
    countryCode(name: string, languages: string): F<string> {
      return made(name, (written) => findCountryCode(written, languages));
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
    further: (type: TypedAddressOf['type'], field: F<AddressOf>) => listOf(typed(() => type, field)),
    typed,

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
        return found;
      };
    },
  };
}
