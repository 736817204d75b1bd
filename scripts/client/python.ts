/** Renders the generated modules of the Python client. The names of types and errors are those of the TypeScript client. */
import { type Contract, type FoundOperation, listOperations, type Parameter } from './contract.ts';
import { listErrorClasses } from './error-classes.ts';
import { argumentsOf, bodyOf, findSuccess, isFile, templateOf } from './operations.ts';
import { listProperties, type Property, type Schema, wrap } from './schema-types.ts';

const WIDTH = 116;

/** Generated modules by their name: types, operations that take an API key, and errors. */
export function renderPython(contract: Contract): ReadonlyMap<string, string> {
  const operations = listOperations(contract).filter(({ security }) =>
    security.some((option) => 'bearerKey' in option),
  );
  return new Map([
    ['types', renderTypes(contract, operations)],
    ['operations', renderOperations(operations)],
    ['errors', renderErrors(contract)],
  ]);
}

function renderErrors(contract: Contract): string {
  const errors = listErrorClasses(contract);
  const classes = errors.map(
    ({ name, parent, code, status, message }) =>
      `class ${name}(${parent}):\n${docstring([`\`${code}\` (${status}): ${message}`], '    ')}\n\n`,
  );
  return `from __future__ import annotations

from ..errors import ApiError, NotFound, Unauthorized


${classes.join('')}#: The class of every code.
error_classes: dict[str, type[ApiError]] = {
${errors.map(({ code, name }) => `    "${code}": ${name},\n`).join('')}}
`;
}

// Types

function renderTypes({ components }: Contract, operations: readonly FoundOperation[]): string {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if (key !== '$ref' || typeof child !== 'string') visit(child);
      else if (!used.has(nameOfReference(child))) {
        used.add(nameOfReference(child));
        visit(components.schemas[nameOfReference(child)]);
      }
    }
  };
  visit(operations.map((operation) => [findSuccess(operation), operation.requestBody, operation.parameters]));
  visit(components.schemas.ErrorResponse);
  used.add('ErrorResponse');
  const types: string[] = [];
  for (const [name, schema] of Object.entries(components.schemas)) {
    if (!used.has(name)) continue;
    if (schema.properties !== undefined) renderDictionary(name, schema, types);
    else types.push(`${name}: TypeAlias = "${renderType(schema, `${name}Object`, types)}"\n`);
  }
  const names = types.map((type) => /^(?:class )?([A-Z]\w+)/m.exec(type)?.[1]).filter(Boolean);
  return `from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict

__all__ = [
${names.map((name) => `    "${name}",\n`).join('')}]

${types.join('\n')}`;
}

const nameOfReference = (reference: string) => reference.replace('#/components/schemas/', '');

/** Renders a type, and adds the dictionaries within it to \`types\` under names that start with \`name\`. */
function renderType(schema: Schema, name: string, types: string[]): string {
  if (schema.$ref !== undefined) return nameOfReference(schema.$ref);
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
  if (schema.anyOf !== undefined) return schema.anyOf.map((part) => renderType(part, name, types)).join(' | ');
  switch (schema.type) {
    case undefined:
      return 'Any';
    case 'array':
      return `list[${renderType(schema.items ?? {}, name, types)}]`;
    case 'object': {
      if (listProperties(schema).length > 0) return renderDictionary(name, schema, types);
      const [value = {}] = Object.values(schema.patternProperties ?? {});
      const other = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : value;
      return `dict[str, ${renderType(other, name, types)}]`;
    }
    default: {
      const type = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }[schema.type];
      if (type === undefined) throw new Error(`the Python client has no type for ${schema.type}`);
      return type;
    }
  }
}

const LITERALS: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' };
const literal = (value: unknown) => LITERALS[String(value)] ?? JSON.stringify(value);

const KEYWORDS = ['class', 'from', 'import', 'in', 'is', 'not', 'or', 'and', 'global', 'pass', 'with', 'as'];

/**
 * Python 3.10 marks optional keys by class, and takes names that are keywords of the language as text only. Such keys are in base classes of their own.
 */
function renderDictionary(name: string, schema: Schema, types: string[]): string {
  const properties = listProperties(schema).map((property) => ({
    ...property,
    type: renderType(property.schema, name + capitalize(property.name), types),
  }));
  const isKeyword = (property: Property) => KEYWORDS.includes(property.name);
  const { required = [], optional = [] } = Object.groupBy(
    properties.filter((property) => !isKeyword(property)),
    ({ isRequired }) => (isRequired ? 'required' : 'optional'),
  );
  const bases: string[] = [];
  for (const isRequired of [true, false]) {
    const keywords = properties.filter((property) => isKeyword(property) && property.isRequired === isRequired);
    if (keywords.length === 0) continue;
    const base = `_${name}${isRequired ? '' : 'Optional'}Keywords`;
    const rows = keywords.map((each) => `"${each.name}": "${each.type.replaceAll('"', "'")}"`).join(', ');
    types.push(`${base} = TypedDict("${base}", {${rows}}${isRequired ? '' : ', total=False'})\n`);
    bases.push(base);
  }
  const rows = (some: typeof properties) =>
    some
      .map((each) => {
        const comment = docstring([each.schema.description ?? describeAlternative(each.schema)], '    ');
        return `    ${each.name}: ${each.type}\n${comment}`;
      })
      .join('');
  if (required.length > 0 && optional.length > 0) {
    types.push(`class _${name}Optional(TypedDict, total=False):\n${rows(optional)}`);
    bases.push(`_${name}Optional`);
  }
  const own = required.length > 0 ? required : optional;
  const parents = bases.length > 0 ? bases.join(', ') : 'TypedDict';
  const total = required.length > 0 || own.length === 0 ? '' : ', total=False';
  const body = docstring([schema.description ?? ''], '    ') + rows(own);
  types.push(`class ${name}(${parents}${total}):\n${body || '    pass\n'}`);
  return name;
}

function describeAlternative({ anyOf = [] }: Schema): string {
  return anyOf.find((part) => part.description !== undefined)?.description ?? '';
}

// Operations

/** What a method takes beyond the parameters of its operation. */
interface Walk {
  readonly of: string;
  readonly name: string;
  readonly without: readonly string[];
  readonly more: readonly string[];
  readonly returns: string;
  readonly call: string;
  readonly text: readonly string[];
}

/** Methods that read one page after the other. Their filters are those of an operation. */
const WALKS: readonly Walk[] = [
  {
    of: 'searchEntities',
    name: 'search',
    without: ['page', 'pageSize'],
    more: ['page_size: int = 100', 'on_change: Literal["restart", "raise"] = "restart"', 'restarts: int = 10'],
    returns: 'SearchResults',
    call: '_search({PARAMETERS, "pageSize": page_size}, on_change, restarts)',
    text: [
      'All companies that match, from all pages of one snapshot of the data.',
      'A page is read when you need it, and costs one request. If an import comes between two pages, `restart` reads all pages again and ' +
        'gives only companies that were not given yet, at most `restarts` times; `raise` ends with `SnapshotChanged`.',
    ],
  },
  {
    of: 'listChanges',
    name: 'changes',
    without: ['wait', 'limit'],
    more: ['limit: int = 1000'],
    returns: 'Iterator[Change]',
    call: '_changes({PARAMETERS, "limit": limit}, False)',
    text: [
      'All changes after the cursor up to the present, the oldest first.',
      'Each change has a cursor. Store it when you have handled the change, and start with it the next time.',
    ],
  },
  {
    of: 'listChanges',
    name: 'follow_changes',
    without: ['wait', 'limit'],
    more: ['limit: int = 1000', 'wait: int = 30'],
    returns: 'Iterator[Change]',
    call: '_changes({PARAMETERS, "limit": limit, "wait": wait}, True)',
    text: [
      'Changes after the cursor as they happen, without end: leave the loop to stop.',
      'Each change has a cursor. Store it when you have handled the change, and start with it the next time.',
    ],
  },
];

function renderOperations(operations: readonly FoundOperation[]): string {
  const methods = operations.flatMap((operation) => [
    renderMethod(operation),
    ...WALKS.filter((walk) => walk.of === operation.operationId).map((walk) => renderWalk(operation, walk)),
  ]);
  return `from __future__ import annotations

from typing import Any, BinaryIO, Iterator, Literal

from ..search import SearchResults
from .types import *


class Operations:
    """Every operation of the API that takes an API key, under its name in the contract."""

    def _call(self, method: str, path: str, parameters: dict[str, Any], body: Any = None, idempotent: bool = False) -> Any:
        raise NotImplementedError

    def _open(self, path: str, parameters: dict[str, Any]) -> BinaryIO:
        raise NotImplementedError

    def _search(self, query: dict[str, Any], on_change: str, restarts: int) -> SearchResults:
        raise NotImplementedError

    def _changes(self, query: dict[str, Any], follows: bool) -> Iterator[Change]:
        raise NotImplementedError

${methods.join('\n')}`;
}

function renderMethod(operation: FoundOperation): string {
  const { operationId, method, summary, description = '', parameters = [] } = operation;
  const given = argumentsOf(operation);
  const body = bodyOf(operation);
  const template = templateOf(operation);
  const call = isFile(operation)
    ? `_open("${template}", {${renderPairs(given)}})`
    : `_call("${method}", "${template}", {${renderPairs(given)}}${body ? ', body' : ''}${
        parameters.some(({ name }) => name === 'Idempotency-Key') ? ', idempotent=True' : ''
      })`;
  const required = given.filter((each) => each.required).map((each) => renderParameter(each));
  if (body) required.push(`body: ${renderType(body, operationId, [])}`);
  const content = findSuccess(operation).content?.['application/json']?.schema;
  const reply = isFile(operation) ? 'BinaryIO' : content === undefined ? 'None' : renderType(content, operationId, []);
  const optional = given.filter((each) => !each.required).map((each) => renderParameter(each));
  return renderFunction(snakeCase(operationId), required, optional, reply, [`${summary}.`, description], given, call);
}

function renderWalk(operation: FoundOperation, walk: Walk): string {
  const given = argumentsOf(operation).filter(({ name }) => !walk.without.includes(name));
  const optional = [...given.map((each) => renderParameter(each)), ...walk.more];
  const call = walk.call.replace('PARAMETERS', renderPairs(given));
  const text = [...walk.text, `The parameters are those of \`${snakeCase(walk.of)}\`.`];
  return renderFunction(walk.name, [], optional, walk.returns, text, [], call);
}

function renderFunction(
  name: string,
  required: readonly string[],
  optional: readonly string[],
  reply: string,
  text: readonly string[],
  documented: readonly Parameter[],
  call: string,
): string {
  const all = ['self', ...required, ...(optional.length > 0 ? ['*', ...optional] : [])];
  const oneLine = `    def ${name}(${all.join(', ')}) -> ${reply}:\n`;
  const head =
    oneLine.length <= WIDTH
      ? oneLine
      : `    def ${name}(\n${all.map((each) => `        ${each},\n`).join('')}    ) -> ${reply}:\n`;
  const list = documented
    .filter(({ description }) => description !== undefined)
    .map(({ name, description }) => `- \`${snakeCase(name)}\`: ${description}`);
  const line = `        return self.${call}\n`;
  const body =
    line.length <= WIDTH ? line : line.replace(/\{("[^{}]*)\}/, (_, pairs: string) => renderLongDictionary(pairs));
  return `${head}${docstring([...text, ...list], '        ')}${body}`;
}

function renderParameter({ name, schema, required = false }: Parameter): string {
  return `${snakeCase(name)}: ${renderType(schema, name, [])}${required ? '' : ' | None = None'}`;
}

function renderPairs(parameters: readonly Parameter[]): string {
  return parameters.map(({ name }) => `"${name}": ${snakeCase(name)}`).join(', ');
}

function renderLongDictionary(pairs: string): string {
  return `{\n${pairs
    .split(', ')
    .map((pair) => `            ${pair},\n`)
    .join('')}        }`;
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const capitalize = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1);

/** Nothing if there is no text. An empty line separates paragraphs, but not the items of a list. */
function docstring(paragraphs: readonly string[], indent: string): string {
  const texts = paragraphs.filter((text) => text !== '').flatMap((text) => text.split('\n'));
  const lines = texts.flatMap((text, at) => {
    const isItem = text.startsWith('- ');
    const gap = at > 0 && !(isItem && texts[at - 1]?.startsWith('- ')) ? [''] : [];
    const [first = '', ...more] = wrap(
      text.replaceAll('\\', '\\\\').replaceAll('"""', "'''"),
      WIDTH - indent.length - 4,
    );
    return [...gap, first, ...more.map((line) => (isItem ? `  ${line}` : line))];
  });
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}"""${lines[0]?.replace(/"$/, '" ')}"""\n`;
  return `${indent}"""${lines.map((line, at) => (at === 0 || line === '' ? line : indent + line)).join('\n')}\n${indent}"""\n`;
}
