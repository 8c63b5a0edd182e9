import type { FrameAnswer } from '../../contract/resolution.ts'
import { printable, printableLine } from '../terminal-text.ts'
import { findingsOf, findingText, leftText, lineOf, NO_FAULT_TEXT, type CiReport, type Finding } from './finding.ts'

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json'
/** What paths are relative to, as GitHub and the viewers of SARIF call the root of a checkout. */
const ROOT = '%SRCROOT%'
const MAX_FRAMES = 100

/** Text of a message: a link or a placeholder in it would be the trace's, not ours. */
const messageText = (text: string): { text: string } => ({
  text: printable(text)
    .replaceAll('](', '] (')
    .replace(/\{(\d+)\}/g, '{{$1}}'),
})

/** A path as a URI that is relative to the root: whatever a file is called, it is one. */
const uriOf = (path: string): string => path.toWellFormed().split('/').map(encodeURIComponent).join('/')

const artifactOf = (path: string) => ({ uri: uriOf(path), uriBaseId: ROOT })

const logicalLocationsOf = (name: string | null) =>
  name === null || name === '' ? {} : { logicalLocations: [{ name: printableLine(name), kind: 'function' }] }

const placeOf = ({ path, startLine, endLine }: { path: string; startLine: number; endLine: number }) => ({
  artifactLocation: artifactOf(path),
  region: { startLine, endLine },
})

/** The place of a frame: a file of the project, or the words of the trace for what lies elsewhere. */
function frameLocation(frame: FrameAnswer, repository: string | null) {
  const { path, repository: from, in_project: inProject, function: name, raw, why } = frame
  const line = lineOf(frame)
  const isHere = inProject && path !== null && from === repository
  return {
    ...(isHere ? { physicalLocation: placeOf({ path, startLine: line, endLine: line }) } : {}),
    ...logicalLocationsOf(name),
    message: messageText(isHere ? why : raw.trim() || why),
  }
}

/** The calls of a fault: as a stack, the last one first, and as the flow that led to it. */
function callsOf({ frames, repository, title }: Finding) {
  const locations = frames.slice(-MAX_FRAMES).map(frame => frameLocation(frame, repository))
  if (locations.length === 0) return {}
  return {
    stacks: [{ message: messageText(title), frames: locations.toReversed().map(location => ({ location })) }],
    codeFlows: [{ threadFlows: [{ locations: locations.map(location => ({ location })) }] }],
  }
}

function relatedOf({ likely }: Finding) {
  return likely.length === 0
    ? {}
    : {
        relatedLocations: likely.map((place, id) => ({
          id,
          physicalLocation: placeOf(place),
          message: messageText(place.why),
        })),
      }
}

function resultOf(finding: Finding & { failing: NonNullable<Finding['failing']> }, ruleIds: readonly string[]) {
  const { failing, fingerprint, type, count } = finding
  return {
    ruleId: type,
    ruleIndex: ruleIds.indexOf(type),
    level: 'error',
    kind: 'fail',
    message: messageText(findingText(finding)),
    locations: [{ physicalLocation: placeOf(failing), ...logicalLocationsOf(failing.frame.function) }],
    occurrenceCount: count,
    ...(fingerprint === null ? {} : { partialFingerprints: { 'faultline/v1': fingerprint } }),
    ...relatedOf(finding),
    ...callsOf(finding),
  }
}

/** Where a repository is on the web, without whatever an address may hold of credentials; null for one on a disk. */
function publicUrl(url: string): string | null {
  const [, host = '', path = ''] = /^(?:[^@/:]+@)?([^@/:]+):(?!\/)(.+)$/.exec(url) ?? []
  const spelled = host === '' || path === '' ? url : `ssh://${host}/${path}`
  if (!URL.canParse(spelled)) return null
  const { protocol, host: name, pathname } = new URL(spelled)
  return /^(?:https?|ssh):$/.test(protocol) ? `${protocol}//${name}${pathname}` : null
}

/** The revisions that the code was read at, one for each repository. */
function provenanceOf(findings: readonly Finding[], { repositories }: CiReport) {
  const commits = new Map(findings.map(({ repository, commit }) => [repository, commit]))
  const revisions = repositories.flatMap(({ repository, url }) => {
    const revisionId = commits.get(repository)
    const repositoryUri = publicUrl(url)
    return revisionId === undefined || repositoryUri === null
      ? []
      : [{ repositoryUri, revisionId, mappedTo: { uriBaseId: ROOT } }]
  })
  return revisions.length === 0 ? {} : { versionControlProvenance: revisions }
}

const hasPlace = (finding: Finding): finding is Finding & { failing: NonNullable<Finding['failing']> } =>
  finding.failing !== null

/** What has no place in code of the project, or is about the report itself. */
function notificationsOf(findings: readonly Finding[], left: number) {
  const notes = [
    ...(findings.length === 0 ? [NO_FAULT_TEXT] : []),
    ...findings.filter(finding => !hasPlace(finding)).map(findingText),
    ...(left === 0 ? [] : [leftText(left)]),
  ]
  return notes.map(text => ({ level: 'note', message: messageText(text) }))
}

/**
 * A report as a log of SARIF 2.1.0. Only faults in code of the project are results, as forges take none without a
 * place; the others are notifications of the run.
 */
export function sarifLog(report: CiReport) {
  const findings = findingsOf(report)
  const ours = findings.filter(hasPlace)
  const ruleIds = [...new Set(ours.map(({ type }) => type))]
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Faultline',
            rules: ruleIds.map(id => ({
              id,
              shortDescription: messageText(`A run failed with ${id}`),
              defaultConfiguration: { level: 'error' },
            })),
          },
        },
        automationDetails: { id: `faultline/${report.projectName}/` },
        originalUriBaseIds: { [ROOT]: { description: { text: 'The root of the repository.' } } },
        ...provenanceOf(ours, report),
        columnKind: 'utf16CodeUnits',
        invocations: [
          { executionSuccessful: true, toolExecutionNotifications: notificationsOf(findings, report.left) },
        ],
        results: ours.map(finding => resultOf(finding, ruleIds)),
      },
    ],
  }
}
