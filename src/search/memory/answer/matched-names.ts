import { findMatchedName, writeMatchedName } from '../../words.ts';
import type { MatchPart } from '../match/match-part.ts';
import type { SearchIndex } from '../search-index.ts';
import { isInAny } from './blocks.ts';
import type { createIndexReader } from './index-reader.ts';
import type { WriteMore } from './page-writer.ts';
import type { Terms } from './terms.ts';

/** The base or a segment. */
interface NamedPart {
  readonly index: SearchIndex;
  readonly reader: Pick<ReturnType<typeof createIndexReader>, 'findWords'>;
  readonly match: Pick<MatchPart, 'listOtherNames'>;
}

/** Writes the former or other name that a hit was found by, if its current name and numbers lack a word. */
export function createMatchedNames(parts: readonly NamedPart[], terms: Terms): WriteMore {
  /** By part: the words that some documents have only in former or other names. */
  const others = parts.map(({ reader }) =>
    reader.findWords(terms).flatMap(({ current, found }, word) => {
      const { folded } = terms.words[word] as Terms['words'][number];
      return current().length < found().length ? { folded, current: current() } : [];
    }),
  );
  return (doc, part) => {
    const missing = (others[part] as (typeof others)[0]).filter(({ current }) => !isInAny(current, doc));
    if (missing.length === 0) return NONE;
    const { index, match } = parts[part] as NamedPart;
    const names = match.listOtherNames(doc).map(({ text }) => text);
    const country = index.texts.columns.countryCode.at(index.arrays['summary.countryCode'][doc] as number) ?? '';
    const wanted = missing.map(({ folded }) => folded);
    return Buffer.from(writeMatchedName(findMatchedName(names, wanted, country)));
  };
}

const NONE = Buffer.from(writeMatchedName(null));
