/**
 * Thrown when an index cannot follow the journal and has to be rebuilt. This is normal after a first import of a
 * register or a long absence. A contradiction between index and journal ends here, too: a wrong index is never served.
 */
export class RebuildNeeded extends Error {
  override name = 'RebuildNeeded';
}
