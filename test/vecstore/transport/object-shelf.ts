import { decodeDescription, encodeDescription, piecesOf } from '../../../src/vecstore/transport/description.ts'
import type { GenerationDescription, Piece } from '../../../src/vecstore/transport/description.ts'
import { describeGeneration } from '../../../src/vecstore/transport/describe-generation.ts'

/** Stands for an object store: pieces by their digests. */
export class ObjectShelf {
  readonly pieces = new Map<string, Buffer>()
  /** The digests that were asked for. */
  readonly asked: string[] = []
  #previous: GenerationDescription | null = null

  /** Puts in what it does not have of a generation. @returns The description as it arrives elsewhere. */
  async put(projectDir: string, generation: number): Promise<{ description: GenerationDescription; added: Piece[] }> {
    await using described = await describeGeneration(projectDir, generation, { previous: this.#previous })
    const added: Piece[] = []
    for (const [sha256, piece] of piecesOf(described.description)) {
      if (this.pieces.has(sha256)) continue
      this.pieces.set(sha256, await described.readPiece(sha256))
      added.push(piece)
    }
    this.#previous = described.description
    return { description: decodeDescription(projectDir, encodeDescription(described.description)), added }
  }

  readonly fetchPiece = async ({ sha256 }: Piece): Promise<Buffer> => {
    this.asked.push(sha256)
    const piece = this.pieces.get(sha256)
    if (piece === undefined) throw new Error(`There is no object ${sha256}.`)
    return piece
  }
}
