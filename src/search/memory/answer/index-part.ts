import { createMatchPart } from '../match/match-part.ts';
import { type IndexState, listLive } from '../overlay.ts';
import type { SearchIndex } from '../search-index.ts';
import { createFormMeanings } from './form-meanings.ts';
import { LiveSets } from './hits.ts';
import { createIndexReader } from './index-reader.ts';
import { createDocWriter } from './page-writer.ts';
import { createSetFinder } from './set-finder.ts';

/** The data that an engine prepares for the base or a segment. */
export type IndexPart = ReturnType<typeof createPart> & { readonly liveSets: LiveSets };

/** Everything that does not depend on which documents are hidden. */
function createPart(index: SearchIndex) {
  const sets = createSetFinder(index);
  const forms = createFormMeanings(index);
  const match = createMatchPart(index, sets);
  return { index, sets, forms, match, reader: createIndexReader(index, sets), writer: createDocWriter(index, forms) };
}

/** The parts of a state. Parts of the previous engine with an unchanged base or segment are reused, which saves time. */
export function createParts(state: IndexState, previous: readonly IndexPart[] = []): IndexPart[] {
  return listLive(state).map(({ index, live }) => {
    const known = previous.find((part) => part.index === index) ?? createPart(index);
    return { ...known, liveSets: new LiveSets(index.entities, live) };
  });
}
