import Type, { type Static, type TObject, type TProperties } from 'typebox';
import type { Deadline } from '../system/deadline.ts';

/** A tool: what an assistant reads about it, and what it does. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: TObject;
  readonly output: TObject;
  /** Costs no quota. Otherwise a call costs one request if it returns data. */
  readonly isFree?: true;
  /** How much longer than other requests a call may take, in milliseconds. */
  readonly waitMs?: number;
  run(given: never, context: ToolContext): ToolAnswer | Promise<ToolAnswer>;
}

export interface ToolContext {
  readonly accountId: string;
  readonly deadline: Deadline;
}

export interface ToolAnswer<Data = object> {
  /** As the output schema describes it. */
  readonly data: Data;
  /** The same in short, for clients that show a model only text. */
  readonly text: string;
  /** There was nothing to return: the call costs no quota. */
  readonly isEmpty?: boolean;
}

interface TypedTool<Input extends TProperties, Output extends TProperties>
  extends Omit<Tool, 'input' | 'output' | 'run'> {
  /** Its arguments. Others are rejected. */
  readonly input: Input;
  readonly output: Output;
  run(given: Static<TObject<Input>>, context: ToolContext): Returned<Output> | Promise<Returned<Output>>;
}

type Returned<Output extends TProperties> = ToolAnswer<Static<TObject<Output>>>;

/** Checks that a tool takes and returns what its schemas say. */
export function defineTool<Input extends TProperties, Output extends TProperties>(
  tool: TypedTool<Input, Output>,
): Tool {
  return { ...tool, input: Type.Object(tool.input, { additionalProperties: false }), output: Type.Object(tool.output) };
}
