import { NOTIFY_EVENTS } from '../contract/primitives.ts'
import type { ProjectAnswer } from '../contract/project.ts'
import type { JsonObject } from '../core/job.ts'
import { FaultlineError } from '../core/errors.ts'
import { isObject } from '../core/is-object.ts'
import { Type } from '../core/type.ts'
import { CsrfToken } from './forms.ts'
import { html, type Html } from './html.ts'
import { csrfField, type PageFrame } from './parts/page.ts'

const CHECK_NAMES = ['install', 'typecheck', 'lint', 'test', 'build', 'deploy'] as const
const MIGRATION_NAMES = ['generate', 'apply', 'rollback', 'folder'] as const
const TEMPLATE_NAMES = ['schema', 'tool', 'test'] as const
const COMMIT_STYLES = ['conventional', 'plain'] as const

const Text = Type.Optional(Type.String({ maxLength: 20_000 }))
const Checked = Type.Optional(Type.Literal('yes'))

const textFields = (names: readonly string[]) => Object.fromEntries(names.map(name => [name, Text]))
const prefixed = (prefix: string, names: readonly string[]): string[] => names.map(name => `${prefix}_${name}`)

/** The form of a project's settings. */
export const SettingsForm = Type.Object(
  {
    _csrf: CsrfToken,
    ...textFields(prefixed('check', CHECK_NAMES)),
    ...textFields(prefixed('migration', MIGRATION_NAMES)),
    ...textFields(prefixed('path', TEMPLATE_NAMES)),
    ...textFields(['sync', 'path_mappings', 'in_app_exclude', 'allowed_paths', 'callback_url', 'deploy_url']),
    ...textFields(['templates', 'branch_prefix']),
    commit_style: Type.Optional(Type.Enum(['', ...COMMIT_STYLES])),
    ci_comments: Checked,
    own_notify: Checked,
    shown: Type.String({ maxLength: 200_000 }),
    ...Object.fromEntries(NOTIFY_EVENTS.map(name => [`notify_${name}`, Checked])),
  },
  { additionalProperties: false },
)

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')

const MAPPING = ' => '

function mappingOf(line: string): JsonObject {
  const at = line.indexOf(MAPPING.trim())
  return at === -1 ? { from: line, to: '' } : { from: line.slice(0, at).trim(), to: line.slice(at + 2).trim() }
}

/** Those that have something; null for none at all. */
const orNothing = (settings: JsonObject): JsonObject | null => (Object.keys(settings).length === 0 ? null : settings)

type Fields = Record<string, string | undefined>

/** All that a form says, as a client of the API would send it. */
function settingsIn(form: Fields): JsonObject {
  const textOf = (name: string): string => (form[name] ?? '').replaceAll('\r\n', '\n').trim()
  const orNull = (name: string): string | null => (textOf(name) === '' ? null : textOf(name))
  const given = (names: readonly string[], prefix = ''): JsonObject =>
    Object.fromEntries(names.map(name => [name, textOf(`${prefix}${name}`)] as const).filter(([, text]) => text !== ''))
  const every = orNull('sync')
  const allowed = linesOf(textOf('allowed_paths'))
  const paths = orNothing(given(TEMPLATE_NAMES, 'path_'))
  const features = { ...given(['templates', 'branch_prefix', 'commit_style']), ...(paths === null ? {} : { paths }) }
  const notified = NOTIFY_EVENTS.filter(name => form[`notify_${name}`] === 'yes')
  return {
    checks: given(CHECK_NAMES, 'check_'),
    sync: every === null ? null : { every },
    path_mappings: linesOf(textOf('path_mappings')).map(mappingOf),
    in_app_exclude: linesOf(textOf('in_app_exclude')),
    allowed_paths: allowed.length === 0 ? null : allowed,
    features: orNothing(features),
    migrations: orNothing(given(MIGRATION_NAMES, 'migration_')),
    callback_url: orNull('callback_url'),
    deploy_url: orNull('deploy_url'),
    ci_comments: form.ci_comments === 'yes',
    notify: form.own_notify === 'yes' ? notified : null,
  }
}

const yesIf = (isSet: boolean): string => (isSet ? 'yes' : '')

const featureTexts = (features: ProjectAnswer['features']): Fields => ({
  templates: features?.templates ?? '',
  branch_prefix: features?.branch_prefix ?? '',
  commit_style: features?.commit_style ?? '',
})

/** The settings of a project as the fields of its form. */
function fieldsOf(project: ProjectAnswer): Fields {
  const { checks, migrations, features, notify } = project
  const named = (
    names: readonly string[],
    prefix: string,
    values: Readonly<Record<string, string | undefined>> | null,
  ) => Object.fromEntries(names.map(name => [`${prefix}_${name}`, values?.[name] ?? '']))
  return {
    ...named(CHECK_NAMES, 'check', checks),
    ...named(MIGRATION_NAMES, 'migration', migrations as Record<string, string> | null),
    ...named(TEMPLATE_NAMES, 'path', features?.paths ?? null),
    sync: project.sync?.every ?? '',
    path_mappings: project.path_mappings.map(({ from, to }) => `${from}${MAPPING}${to}`).join('\n'),
    in_app_exclude: project.in_app_exclude.join('\n'),
    allowed_paths: (project.allowed_paths ?? []).join('\n'),
    callback_url: project.callback_url ?? '',
    deploy_url: project.deploy_url ?? '',
    ...featureTexts(features),
    ci_comments: yesIf(project.ci_comments),
    own_notify: yesIf(notify !== null),
    ...Object.fromEntries((notify ?? []).map(name => [`notify_${name}`, 'yes'])),
  }
}

/** @throws {FaultlineError} VALIDATION_FAILED */
function shownIn(form: Fields): JsonObject {
  try {
    const shown: unknown = JSON.parse(form.shown ?? '')
    if (isObject(shown)) return shown as JsonObject
  } catch {
    // said below
  }
  throw new FaultlineError('VALIDATION_FAILED', 'The form does not say what it showed.', 'Load its page again.')
}

/**
 * The settings that somebody changed in a form: those that read otherwise than the form showed them. What others
 * changed meanwhile stays.
 *
 * @throws {FaultlineError} VALIDATION_FAILED where nothing was changed.
 */
export function patchOf(form: Fields): JsonObject {
  const shown = shownIn(form)
  const changed = Object.entries(settingsIn(form)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(shown[name]),
  )
  if (changed.length > 0) return Object.fromEntries(changed)
  throw new FaultlineError('VALIDATION_FAILED', 'No setting was changed.', 'Go back, and change one.')
}

interface FieldShown {
  fields: Fields
  name: string
  label: string
}

const field = ({ fields, name, label }: FieldShown): Html => html`
<p><label for="${name}">${label}</label><br><input id="${name}" name="${name}" value="${fields[name]}"></p>`

/** @param rows - At least; the value may have several lines. */
const area = ({ fields, name, label }: FieldShown, rows: number): Html => html`
<p><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="${Math.max(rows, (fields[name] ?? '').split('\n').length)}">
${fields[name]}</textarea></p>`

const box = ({ fields, name, label }: FieldShown): Html => html`
<p><label><input type="checkbox" name="${name}" value="yes"${fields[name] === 'yes' && html` checked`}>
${label}</label></p>`

const featureFields = (fields: Fields): Html => html`
<fieldset><legend>Features</legend>
${area({ fields, name: 'allowed_paths', label: 'Folders and files that features may change, a line each' }, 3)}
${field({ fields, name: 'templates', label: 'Folder of templates' })}
${TEMPLATE_NAMES.map(name =>
  field({ fields, name: `path_${name}`, label: `Where a ${name} is made, with {table}, {entity} or {tool}` }),
)}
${field({ fields, name: 'branch_prefix', label: 'Beginning of the names of branches' })}
<p><label for="commit_style">Style of commits</label><br>
<select id="commit_style" name="commit_style"><option value=""></option>
${COMMIT_STYLES.map(
  style => html`<option${style === fields.commit_style && html` selected`}>${style}</option>`,
)}</select></p>
${MIGRATION_NAMES.map(name => area({ fields, name: `migration_${name}`, label: `Migrations: ${name}` }, 1))}
${field({ fields, name: 'deploy_url', label: 'What is called when a feature was approved' })}
</fieldset>`

const noticeFields = (fields: Fields): Html => html`
<fieldset><legend>Who hears of it</legend>
${field({ fields, name: 'callback_url', label: 'Where results of jobs go' })}
${box({ fields, name: 'own_notify', label: 'Jobs notify as set here, and not as .faultline.toml says' })}
${NOTIFY_EVENTS.map(name => box({ fields, name: `notify_${name}`, label: `Notify when a job is ${name}` }))}
${box({ fields, name: 'ci_comments', label: 'Comment on the pull requests that CI names' })}
</fieldset>`

const MAPPINGS_LABEL = 'Beginnings of paths in traces, and what stands there in the repository: /app/ => src/'
const EXCLUDE_LABEL = "Files that are not the project's own code, as globs, a line each"

/** The settings of a project, as a form. */
export function settingsPart(frame: PageFrame, action: string, project: ProjectAnswer): Html {
  const fields = fieldsOf(project)
  return html`
<details><summary>Settings</summary>
<form method="post" action="${action}">${csrfField(frame)}
<input type="hidden" name="shown" value="${JSON.stringify(settingsIn(fields))}">
<p class="quiet">An empty field leaves a setting to .faultline.toml and to what the files of the project suggest.</p>
<fieldset><legend>Commands that check the project, in the sandbox</legend>
${CHECK_NAMES.map(name => area({ fields, name: `check_${name}`, label: name }, 1))}
</fieldset>
<fieldset><legend>Code</legend>
${field({ fields, name: 'sync', label: 'Ask the remote for new commits every (15m, 2h, 1d)' })}
${area({ fields, name: 'path_mappings', label: MAPPINGS_LABEL }, 3)}
${area({ fields, name: 'in_app_exclude', label: EXCLUDE_LABEL }, 3)}
</fieldset>
${featureFields(fields)}
${noticeFields(fields)}
<button type="submit" class="main">Save the settings</button>
</form></details>`
}
