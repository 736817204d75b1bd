/** How two records are related, as `related` of a record shows it. New values may be added within v1. */
export const relationMeanings = { same_company: 'the same company in another register' } as const;

export type Relation = keyof typeof relationMeanings;
