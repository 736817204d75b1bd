/** Files of GLEIF that cannot be imported. They are recognized only to say what to import instead. */
import { refuseTable, refuseTree, type Source } from '../contract.ts';
import type { LegalForms } from './legal-forms.ts';

const ADVICE = 'Import the Level 1 file (LEI2), which has the entities';
const RELATIONSHIPS = `this is the Level 2 file of relationships (RR), which has no entities. ${ADVICE}`;
const EXCEPTIONS = `this is the Level 2 file of reporting exceptions (REPEX), which has no entities. ${ADVICE}`;

const API = `this is an answer of the GLEIF API, not a complete file. ${ADVICE}`;

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

export const REFUSED_SOURCES: readonly Source<LegalForms>[] = [
  ...refuseXml('RelationshipRecord', ['rr:Relationship', 'Relationship'], RELATIONSHIPS),
  ...refuseXml('Exception', ['repex:ExceptionCategory', 'ExceptionCategory'], EXCEPTIONS),
  ...['RelationshipRecord', 'Relationship'].map((key) => refuseJson('relationships (JSON)', key, RELATIONSHIPS)),
  refuseJson('reporting exceptions (JSON)', 'ExceptionCategory', EXCEPTIONS),
  refuseJson('API (JSON)', 'attributes', API),
  refuseTable(
    'relationships (CSV)',
    CSV,
    ['Relationship.StartNode.NodeID', 'Relationship.EndNode.NodeID'],
    RELATIONSHIPS,
  ),
  refuseTable('reporting exceptions (CSV)', CSV, ['LEI', 'Exception.Category'], EXCEPTIONS),
];

/** `keys` are the names of the same element with and without its prefix. */
function refuseXml(element: string, keys: readonly string[], refusal: string): Source<LegalForms>[] {
  return keys.map((key) => refuseTree(`${element} (XML, ${key})`, { type: 'xml', element }, [key], refusal));
}

function refuseJson(name: string, key: string, refusal: string): Source<LegalForms> {
  return refuseTree(name, { type: 'json' }, [key], refusal);
}
