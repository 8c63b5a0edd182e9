/** A space learned from documents: the numbers with which a text's terms are folded into it. */
export interface LsaFit {
  /** Names the space: a hash of everything else in here. */
  readonly id: string
  readonly dimensions: number
  /** Each term's number: its place in `idf` and its row of `matrix`. In their order, commonest first. */
  readonly terms: ReadonlyMap<string, number>
  readonly idf: Float32Array
  /** `terms.size × dimensions`, row after row; its columns are orthonormal. */
  readonly matrix: Float32Array
  /** Documents that there were, of which a sample was looked at. */
  readonly documentCount: number
  /** Share of the occurrences in the sample, 0–1, whose term is not among `terms`: what is usual for the space. */
  readonly unknownShare: number
}
