/**
 * The log that services write to. It is a small part of pino's interface, so that nothing below the edge depends on a logging
 * library, and a test can pass an object with two functions.
 */
export interface Log {
  readonly info: WriteLine;
  readonly warn: WriteLine;
}

interface WriteLine {
  (fields: object, message: string): void;
  (message: string): void;
}
