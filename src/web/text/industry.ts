import { titleOf } from '../../classifications/isic.ts';

/** `62 Computer programming, consultancy and related activities` */
export function nameIndustry(code: string): string {
  const title = titleOf(code);
  return title === '' ? code : `${code} ${title}`;
}
