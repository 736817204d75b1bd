import { type Command, PROGRAM } from './command.ts';
import { renderColumns, wrapText } from './text.ts';

/** Longer lines are hard to read. */
const MAX_WIDTH = 100;

const SETTINGS = [
  ['FIRMAMENT_URL', 'Address of the service. Default: http://127.0.0.1:3000'],
  ['FIRMAMENT_KEY', 'Your API key. Create one on the dashboard of the service.'],
] as const;

const EXIT_CODES = 'Exit codes: 0 done, 1 failed, 2 wrong usage, 130 stopped with Ctrl+C.';

export function renderHelp({ name, arguments: args, options, help, examples }: Command, given?: number): string {
  const width = Math.min(MAX_WIDTH, given ?? MAX_WIDTH);
  const rows = Object.entries(options).map(
    ([option, { type, description }]) => [`--${option}${type === 'string' ? ' <value>' : ''}`, description] as const,
  );
  return join([
    `Usage: ${[PROGRAM, name, args, '[options]'].filter(Boolean).join(' ')}`,
    ...help.split(/\n{2,}/).map((paragraph) => wrapText(paragraph, width).join('\n')),
    `Examples:\n${renderExamples(examples, width)}`,
    `Options:\n${renderColumns([...rows, ['-h, --help', 'Show this help.']], width)}`,
    `Environment:\n${renderColumns(SETTINGS, width)}`,
    wrapText(EXIT_CODES, width).join('\n'),
  ]);
}

export function renderOverview(all: readonly Command[], given?: number): string {
  const width = Math.min(MAX_WIDTH, given ?? MAX_WIDTH);
  const summaries = all.map(
    ({ name, arguments: args, summary }) => [[name, args].filter(Boolean).join(' '), summary] as const,
  );
  return join([
    `Usage: ${PROGRAM} <command> [options]`,
    wrapText('Companies of official registers, from a Firmament service.', width).join('\n'),
    `Commands:\n${renderColumns(summaries, width)}`,
    `Examples:\n${renderExamples(
      all.flatMap(({ examples }) => examples.slice(0, 1)),
      width,
    )}`,
    `Environment:\n${renderColumns(SETTINGS, width)}`,
    wrapText(`${EXIT_CODES} Run "${PROGRAM} <command> --help" for the options of a command.`, width).join('\n'),
  ]);
}

function renderExamples(examples: Command['examples'], width: number): string {
  return renderColumns(
    examples.map(([invocation, description]) => [`${PROGRAM} ${invocation}`, description]),
    width,
  );
}

function join(sections: readonly string[]): string {
  return `${sections.join('\n\n')}\n`;
}
