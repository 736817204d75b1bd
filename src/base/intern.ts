/**
 * The copy of a text that V8 has for names in the program. Maps and objects find such a copy without comparing characters, which takes a large part
 * of reading a cell.
 */
export function intern(text: string): string {
  return Object.keys({ [text]: true })[0] as string;
}
