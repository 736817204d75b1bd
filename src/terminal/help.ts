import { renderColumns, wrapText } from '../../clients/typescript/src/cli/text.ts';
import type { Command, CommandOption } from './command.ts';

export { renderColumns };

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
  return `${sections.join('\n\n')}\n`;
}
