import type { Command, CommandOption } from './command.ts';
import { wrapText } from './width.ts';

const INDENT = '  ';

const VALUES: Readonly<Record<CommandOption['type'], string>> = { boolean: '', string: ' <value>', list: ' <value…>' };

/** The help of a command, in lines of up to `width` characters. */
export function renderHelp({ name, arguments: args, options = {}, help, examples }: Command, width: number): string {
  const rows = Object.entries(options).map(([option, { type, description }]) => {
    return [`--${option}${VALUES[type]}`, description] as const;
  });
  const usage = ['firmament', name, args, '[options]'].filter(Boolean).join(' ');
  const paragraphs = help.trim().split(/\n{2,}/);
  const sections = [
    `Usage: ${usage}`,
    ...paragraphs.map((paragraph) => wrapText(paragraph, width).join('\n')),
    `Examples:\n${renderColumns(
      examples.map(([invocation, description]) => [`firmament ${invocation}`, description]),
      width,
    )}`,
    `Options:\n${renderColumns([...rows, ['-h, --help', 'Show this help.']], width)}`,
  ];
  return `${sections.map((section) => section.trimEnd()).join('\n\n')}\n`;
}

/** Names with their descriptions beside them, or below them if the names leave less than half of the width. */
export function renderColumns(rows: readonly (readonly [string, string])[], width: number): string {
  const first = Math.max(...rows.map(([name]) => name.length)) + INDENT.length;
  const isBeside = first + INDENT.length <= width / 2;
  const indent = isBeside ? ' '.repeat(first + INDENT.length) : INDENT.repeat(3);
  return rows
    .map(([name, description]) => {
      const lines = wrapText(description, width - indent.length);
      const start = `${INDENT}${name}`;
      return isBeside
        ? `${`${start.padEnd(indent.length)}${lines.join(`\n${indent}`)}`.trimEnd()}\n`
        : `${[start, ...lines.map((line) => indent + line)].join('\n')}\n`;
    })
    .join('');
}
