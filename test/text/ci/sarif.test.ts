import sarifSchema from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' }
import Ajv from 'ajv'
import draft4 from 'ajv/lib/refs/json-schema-draft-04.json' with { type: 'json' }
import fc from 'fast-check'
import { test } from 'tap'
import { sarifLog } from '../../../src/text/ci/sarif.ts'
import { frame } from '../../helpers/answers.ts'
import { elsewhere, fault, faultOf, report, source } from '../../helpers/ci-report.ts'
import { runs } from '../../helpers/property-runs.ts'

const ajv = new Ajv({ schemaId: 'id', meta: false })
ajv.addMetaSchema(draft4)
const isSarif = ajv.compile(sarifSchema)

/** The one run of a log that is valid; read again as those who get it do. */
function runOf(log: unknown) {
  const read = JSON.parse(JSON.stringify(log)) as ReturnType<typeof sarifLog>
  if (isSarif(read) !== true) throw new Error(JSON.stringify(isSarif.errors, null, 2))
  const [run] = read.runs
  if (run === undefined) throw new Error('no run')
  return run
}

test('a fault is a result with its place, its calls, its likely causes and its fingerprint', async t => {
  const run = runOf(sarifLog(report([fault()])))
  t.match(run.tool.driver, { name: 'Faultline', rules: [{ id: 'TypeError' }] })
  t.match(run.results, [
    {
      ruleId: 'TypeError',
      ruleIndex: 0,
      level: 'error',
      message: { text: /^TypeError: no price\nRaised at src\/app\.js:4 in f\./ },
      partialFingerprints: { 'faultline/v1': 'ab12' },
      occurrenceCount: 1,
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'src/app.js', uriBaseId: '%SRCROOT%' },
            region: { startLine: 4, endLine: 4 },
          },
          logicalLocations: [{ name: 'f' }],
        },
      ],
      relatedLocations: [{ id: 0, physicalLocation: { region: { startLine: 1, endLine: 9 } } }],
    },
  ])
  const [result] = run.results
  t.match(result, {
    stacks: [{ frames: [{ location: { physicalLocation: {} } }, { location: { physicalLocation: undefined } }] }],
    codeFlows: [
      {
        threadFlows: [
          { locations: [{ location: { physicalLocation: undefined } }, { location: { physicalLocation: {} } }] },
        ],
      },
    ],
  })
})

test('it says at which revision the code was read, and never with credentials', async t => {
  const provenance = (url: string) =>
    runOf(sarifLog(report([fault()], { repositories: [{ repository: 'shop', url }] }))) as {
      versionControlProvenance?: object[]
    }
  for (const [url, uri] of [
    ['https://ada:s3cret@git.example.com/acme/shop.git?token=x#y', 'https://git.example.com/acme/shop.git'],
    ['git@git.example.com:acme/shop.git', 'ssh://git.example.com/acme/shop.git'],
    ['ssh://git:pw@git.example.com:2222/shop.git', 'ssh://git.example.com:2222/shop.git'],
  ] as const) {
    const run = provenance(url)
    t.match(run.versionControlProvenance, [{ repositoryUri: uri, revisionId: fault().commit }], url)
    t.notMatch(JSON.stringify(run), /s3cret|token=|:pw@/)
  }
  for (const url of ['/srv/git/shop.git', 'file:///srv/git/shop.git', '']) {
    t.equal(provenance(url).versionControlProvenance, undefined, url)
  }
})

test('what has no place in the project is told, and is no result', async t => {
  const run = runOf(sarifLog(report([elsewhere()], { left: 3 })))
  t.same(run.results, [])
  t.match(run.invocations, [
    {
      executionSuccessful: true,
      toolExecutionNotifications: [
        { level: 'note', message: { text: /^ConnectionError: refused\n/ } },
        { message: { text: 'The log holds 3 more faults than are shown.' } },
      ],
    },
  ])
  t.match(runOf(sarifLog(report([]))).invocations, [
    { toolExecutionNotifications: [{ message: { text: /found no/ } }] },
  ])
})

test('paths are relative URIs, and no text becomes a link or a placeholder', async t => {
  const frames = [frame({ in_project: true, repository: 'shop', path: 'src/a b/ü#?%:.js', code_line: 1 })]
  const [result] = runOf(sarifLog(report([faultOf({ message: '[click](1) {0}' }, { frames })]))).results
  t.match(result, {
    message: { text: /^TypeError: \[click\] \(1\) \{\{0\}\}\n/ },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a%20b/%C3%BC%23%3F%25%3A.js' } } }],
  })
})

test('whatever a trace or a repository holds, the log is valid', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 })
  fc.assert(
    fc.property(text, text, text, fc.nat(3), fc.nat(3), (message, path, name, start, end) => {
      const frames = [
        frame({ in_project: true, repository: 'shop', path, function: name, code_line: start, why: message }),
        frame({ raw: message, function: name, why: path }),
      ]
      const sources = [source({ path, why: message, start_line: start, end_line: end })]
      const faults = [faultOf({ type: name, message, fingerprint: null }, { frames, sources }), fault()]
      return runOf(sarifLog(report(faults, { repositories: [{ repository: 'shop', url: message }] }))) !== undefined
    }),
    { numRuns: runs(500) },
  )
})
