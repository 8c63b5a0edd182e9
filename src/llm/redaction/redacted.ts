/** A text after redaction. */
export interface Redacted {
  text: string
  /** Number of secrets that were replaced. */
  count: number
}
