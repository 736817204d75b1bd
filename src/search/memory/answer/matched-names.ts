import { findMatchedName, writeMatchedName } from '../../words.ts';
import type { MatchPart } from '../match/match-part.ts';
import type { SearchIndex } from '../search-index.ts';
import { isInAny } from './blocks.ts';
import type { createIndexReader } from './index-reader.ts';
import type { WriteMore } from './page-writer.ts';
import type { TermSets } from './term-sets.ts';
import type { Terms } from './terms.ts';

/** The base or a segment. */
interface NamedPart {
  readonly index: SearchIndex;
  readonly reader: Pick<ReturnType<typeof createIndexReader>, 'findWords'>;
  readonly match: Pick<MatchPart, 'listOtherNames'>;
}

/** Writes the former or other name that a hit was found by, if its current name and numbers lack a word. */
export function createMatchedNames(parts: readonly NamedPart[], terms: Terms): WriteMore {
  return (doc, part) => {
    const { index, reader, match } = parts[part] as NamedPart;
    const ofWords = reader.findWords(terms);
    const missing = terms.words.filter((_, word) => {
      const { current, found } = ofWords[word] as TermSets;
      return current().length < found().length && !isInAny(current(), doc);
    });
    const names = missing.length === 0 ? [] : match.listOtherNames(doc).map(({ text }) => text);
    const country = index.texts.columns.countryCode.at(index.arrays['summary.countryCode'][doc] as number) ?? '';
    const wanted = missing.map(({ folded }) => folded);
    return Buffer.from(writeMatchedName(findMatchedName(names, wanted, country)));
  };
}
