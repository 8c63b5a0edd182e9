// A process for kill.test.ts: puts two generations together in turn for ever, each from the folder where it was built,
// and prints a line at each piece and at each end.
import { assembleGeneration } from '../../../src/vecstore/transport/assemble-generation.ts'
import { describeGeneration } from '../../../src/vecstore/transport/describe-generation.ts'

const [projectDir = '', ...sources] = process.argv.slice(2)
const described = await Promise.all(sources.map((source, i) => describeGeneration(source, i + 1)))

for (let i = 0; ; i++) {
  const generation = described[i % described.length]
  if (generation === undefined) break
  await assembleGeneration(projectDir, generation.description, async ({ sha256 }) => {
    process.stdout.write('piece\n')
    return await generation.readPiece(sha256)
  })
  process.stdout.write('whole\n')
}
