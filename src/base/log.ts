/** The log that services write to: two functions of pino, so that nothing below the edge depends on a library. */
export interface Log {
  readonly info: WriteLine;
  readonly warn: WriteLine;
}

interface WriteLine {
  (fields: object, message: string): void;
  (message: string): void;
}
