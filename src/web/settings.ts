import { NOTIFY_EVENTS } from '../contract/primitives.ts'
import type { ProjectAnswer } from '../contract/project.ts'
import type { JsonObject } from '../core/job.ts'
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

/** What a form says, as a client of the API would send it. */
export function patchOf(form: Record<string, string | undefined>): JsonObject {
  const textOf = (name: string): string => form[name]?.trim() ?? ''
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

const field = (name: string, label: string, value: string | null | undefined): Html => html`
<p><label for="${name}">${label}</label><br><input id="${name}" name="${name}" value="${value}"></p>`

const area = (name: string, label: string, lines: readonly string[]): Html => html`
<p><label for="${name}">${label}</label>\
<textarea id="${name}" name="${name}" rows="3">${lines.join('\n')}</textarea></p>`

const box = (name: string, label: string, isSet: boolean): Html => html`
<p><label><input type="checkbox" name="${name}" value="yes"${isSet && html` checked`}> ${label}</label></p>`

const featureFields = ({ features, migrations, allowed_paths: allowed, deploy_url: url }: ProjectAnswer): Html => html`
<fieldset><legend>Features</legend>
${area('allowed_paths', 'Folders and files that features may change, a line each', allowed ?? [])}
${field('templates', 'Folder of templates', features?.templates)}
${TEMPLATE_NAMES.map(name =>
  field(`path_${name}`, `Where a ${name} is made, with {table}, {entity} or {tool}`, features?.paths?.[name]),
)}
${field('branch_prefix', 'Beginning of the names of branches', features?.branch_prefix)}
<p><label for="commit_style">Style of commits</label><br>
<select id="commit_style" name="commit_style"><option value=""></option>
${COMMIT_STYLES.map(
  style => html`<option${style === features?.commit_style && html` selected`}>${style}</option>`,
)}</select></p>
${MIGRATION_NAMES.map(name => field(`migration_${name}`, `Migrations: ${name}`, migrations?.[name]))}
${field('deploy_url', 'What is called when a feature was approved', url)}
</fieldset>`

const noticeFields = ({ callback_url: callback, notify, ci_comments: comments }: ProjectAnswer): Html => html`
<fieldset><legend>Who hears of it</legend>
${field('callback_url', 'Where results of jobs go', callback)}
${box('own_notify', 'Jobs of this project notify as set here, and not as .faultline.toml says', notify !== null)}
${NOTIFY_EVENTS.map(name => box(`notify_${name}`, `Notify when a job is ${name}`, notify?.includes(name) === true))}
${box('ci_comments', 'Comment on the pull requests that CI names', comments)}
</fieldset>`

/** The settings of a project, as a form. */
export const settingsPart = (frame: PageFrame, action: string, project: ProjectAnswer): Html => html`
<details class="settings"><summary>Settings</summary>
<form method="post" action="${action}">${csrfField(frame)}
<p class="quiet">An empty field leaves a setting to .faultline.toml and to what the files of the project suggest.</p>
<fieldset><legend>Commands that check the project, in the sandbox</legend>
${CHECK_NAMES.map(name => field(`check_${name}`, name, project.checks[name]))}
</fieldset>
<fieldset><legend>Code</legend>
${field('sync', 'Ask the remote for new commits every (15m, 2h, 1d)', project.sync?.every)}
${area(
  'path_mappings',
  'Beginnings of paths in traces, and what stands there in the repository: /app/ => src/',
  project.path_mappings.map(({ from, to }) => `${from}${MAPPING}${to}`),
)}
${area('in_app_exclude', "Files that are not the project's own code, as globs, a line each", project.in_app_exclude)}
</fieldset>
${featureFields(project)}
${noticeFields(project)}
<button type="submit" class="main">Save the settings</button>
</form></details>`
