import type { ColumnInput, Columns } from './columns.ts';

/** What the two threads of a build send each other. */
export type AssistantTask =
  | { readonly type: 'more' }
  | { readonly type: 'columns'; readonly input: ColumnInput; readonly order: Uint32Array };

export type AssistantMessage =
  | { readonly type: 'version'; readonly version: string }
  | { readonly type: 'chunk'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'columns'; readonly columns: Columns };
