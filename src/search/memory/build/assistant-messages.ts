import type { DocSet } from '../sets.ts';
import type { WordArrays } from './broad.ts';
import type { Order } from './order.ts';
import type { Suffixes, Vocabulary } from './suffixes.ts';
import type { TextColumns } from './text-columns.ts';

/** What broad fragments inside words are found in: see `findInWords`. */
export interface BroadInput {
  readonly arrays: WordArrays;
  readonly docCount: number;
  readonly threshold: number;
}

/** What the two threads of a build send each other. The second one does its tasks in the order it gets them. */
export type AssistantTask =
  /** Returns the buffer of a chunk that has been read, so that it can be used for another chunk. */
  | { readonly type: 'more'; readonly buffer: SharedArrayBuffer }
  | { readonly type: 'suffixes'; readonly vocabulary: Vocabulary }
  | { readonly type: 'order'; readonly order: Order }
  | { readonly type: 'texts' }
  | { readonly type: 'broad'; readonly input: BroadInput };

export type AssistantMessage =
  | { readonly type: 'version'; readonly version: string }
  | { readonly type: 'chunk'; readonly buffer: SharedArrayBuffer; readonly length: number }
  | { readonly type: 'end' }
  | { readonly type: 'suffixes'; readonly suffixes: Suffixes }
  | { readonly type: 'order' }
  | { readonly type: 'texts'; readonly columns: TextColumns }
  | { readonly type: 'broad'; readonly found: Map<string, DocSet> };
