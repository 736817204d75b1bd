import type { MapContext } from '../contract.ts';
import { compact } from '../parsing.ts';
import type { LegalFormOf, RegistryOf } from '../vocabulary.ts';
import { listAddresses, readAddress } from './address.ts';
import { findRegister } from './authorities.ts';
import { type Entry, readDayAt } from './entry.ts';
import type { EntityState } from './state.ts';

type Context = MapContext<unknown>;
type Names = NonNullable<RegistryOf['otherNames']>;

export function readRegistry(
  entry: Entry,
  state: EntityState,
  legalForm: LegalFormOf | null,
  context: Context,
): RegistryOf {
  const entity = entry.at('Entity');
  const otherLegalForm = entity.text('LegalForm.OtherLegalForm');
  return compact({
    status: compact({ label: entity.text('EntityStatus'), reason: entity.text('EntityExpirationReason') }),
    foundedAt: readDayAt(entry, 'Entity.EntityCreationDate', context),
    statusInferredFrom: state.inferredFrom,
    endedAt: state.endedAt,
    previousNames: entity.list(OTHER_NAMES, ['']).filter(isPrevious).map(readPreviousName),
    otherNames: listOtherNames(entity),
    address: readAddress(entity.at('LegalAddress')),
    addresses: listAddresses(entity),
    successors: entity.list('SuccessorEntity', ['SuccessorLEI', 'SuccessorEntityName']).map(readSuccessor),
    events: state.events.map((event) => compact({ ...event })),
    nameLanguage: entity.attribute('LegalName', 'xml:lang'),
    jurisdiction: entity.text('LegalJurisdiction'),
    category: entity.text('EntityCategory'),
    subCategory: entity.text('EntitySubCategory'),
    otherLegalForm: otherLegalForm === legalForm?.label ? null : otherLegalForm,
    registrationAuthority: readAuthority(entity.at('RegistrationAuthority')),
    lei: readLeiState(entry, context),
  });
}

const OTHER_NAMES = 'OtherEntityNames.OtherEntityName';
const TRANSLITERATED_NAMES = 'TransliteratedOtherEntityNames.TransliteratedOtherEntityName';

function isPrevious(name: Entry): boolean {
  return name.attribute('', 'type') === 'PREVIOUS_LEGAL_NAME';
}

function readPreviousName(name: Entry) {
  return { name: name.text(''), ...compact({ language: name.attribute('', 'xml:lang') }) };
}

const NAME_TYPES: Readonly<Record<string, Names[number]['type']>> = {
  TRADING_OR_OPERATING_NAME: 'trading',
  ALTERNATIVE_LANGUAGE_LEGAL_NAME: 'translation',
  AUTO_ASCII_TRANSLITERATED_LEGAL_NAME: 'transliteration',
  PREFERRED_ASCII_TRANSLITERATED_LEGAL_NAME: 'transliteration',
};

function listOtherNames(entity: Entry): Names {
  const names = [...entity.list(OTHER_NAMES, ['']), ...entity.list(TRANSLITERATED_NAMES, [''])];
  return names
    .filter((name) => !isPrevious(name))
    .map((name) => {
      const sourceType = name.attribute('', 'type');
      const language = name.attribute('', 'xml:lang');
      return { name: name.text(''), type: NAME_TYPES[sourceType] ?? 'other', ...compact({ language, sourceType }) };
    });
}

function readSuccessor(successor: Entry) {
  return compact({ number: successor.text('SuccessorLEI'), name: successor.text('SuccessorEntityName') });
}

function readAuthority(authority: Entry) {
  const id = authority.text('RegistrationAuthorityID');
  return compact({ id, other: authority.text('OtherRegistrationAuthorityID'), register: findRegister(id) });
}

function readLeiState(entry: Entry, context: Context) {
  const registration = entry.at('Registration');
  return compact({
    status: registration.text('RegistrationStatus'),
    issuedAt: readDayAt(entry, 'Registration.InitialRegistrationDate', context),
    updatedAt: readDayAt(entry, 'Registration.LastUpdateDate', context),
    nextRenewal: readDayAt(entry, 'Registration.NextRenewalDate', context),
    managingLou: registration.text('ManagingLOU'),
    validation: registration.text('ValidationSources'),
    validationAuthority: compact({
      id: registration.text('ValidationAuthority.ValidationAuthorityID'),
      number: registration.text('ValidationAuthority.ValidationAuthorityEntityID'),
    }),
  });
}
