/** The values of an entity's normalized `status`, for registers, contract, filter and documents. Within v1, values are only added. */
export const statusMeanings = {
  active: 'registered, and neither in liquidation nor in an insolvency procedure',
  inactive: 'suspended, stopped or not registered at present; the source does not say that the company has ended',
  in_liquidation: 'being wound up',
  insolvent: 'in bankruptcy, administration, receivership, restructuring or another insolvency procedure',
  dissolved: 'ended: dissolved, struck off, merged into another company or deregistered for another reason',
  delisted: 'missing from the latest complete file of its register; the record is kept',
  unknown: 'the source has no status, or one whose meaning is not known',
} as const;

export type EntityStatus = keyof typeof statusMeanings;

export const entityStatuses = Object.keys(statusMeanings) as EntityStatus[];
