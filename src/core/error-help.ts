import type { ErrorCode } from './errors.ts'

/** What an error is about: the sections of docs/troubleshooting.md, in its order. */
export const ERROR_TOPICS = {
  request: 'The request',
  access: 'Keys and addresses',
  repository: 'Repositories and projects',
  trace: 'Traces',
  model: 'Models',
  job: 'Jobs and code that a model writes',
  server: 'The server and its machine',
} as const

/** What an error code means, for somebody who sees it for the first time. */
interface ErrorHelp {
  about: keyof typeof ERROR_TOPICS
  /** How one comes to see it. */
  cause: string
  /** What to do. It is the `fix` of an error that has none of its own. */
  cure: string
}

/** Cause and cure of each error code; a new code does not compile without them. */
export const ERROR_HELP = {
  VALIDATION_FAILED: {
    about: 'request',
    cause: 'A field is missing, misspelled or of the wrong type.',
    cure: '"errors" names each field; /docs shows what every route takes.',
  },
  MALFORMED_JSON: {
    about: 'request',
    cause: 'The body is not JSON, most often because a trace was pasted into it with its line breaks.',
    cure:
      'Check the quotes; a trace holds newlines, which JSON wants as \\n. With curl, --data-binary @file and ' +
      'text/plain on /resolve spare you that.',
  },
  BAD_REQUEST: {
    about: 'request',
    cause: 'The request is not HTTP that the server understands, or a part of its address is malformed.',
    cure: 'Check the address, and that special characters in it are percent-encoded.',
  },
  NOT_FOUND: {
    about: 'request',
    cause: 'The server has no such route, or the job has no such file.',
    cure: 'GET /docs lists the routes.',
  },
  METHOD_NOT_ALLOWED: {
    about: 'request',
    cause: 'The route exists, but takes another method: /resolve wants POST, a browser sends GET.',
    cure: 'Use the method that the header "allow" names; /docs shows it, too.',
  },
  NOT_SERVED_HERE: {
    about: 'request',
    cause:
      'The request came to a node that does not answer it: one with ROLE=worker runs jobs and answers nothing else.',
    cure: 'Send it to a node with the role http; GET /cluster lists them.',
  },
  NOT_ACCEPTABLE: {
    about: 'request',
    cause: 'The header Accept names a form that this route cannot give.',
    cure: 'Leave Accept out, or name application/json, text/plain or text/markdown.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    about: 'request',
    cause: 'The content type is missing or unknown; curl -d alone sends that of a form.',
    cure:
      "Send JSON with -H 'Content-Type: application/json'. POST /resolve also takes a trace as it is: " +
      "-H 'Content-Type: text/plain' --data-binary @file, with ?project_name=NAME in the address.",
  },
  PAYLOAD_TOO_LARGE: {
    about: 'request',
    cause: 'The body, a file or a folder is larger than the route takes; a log may have 10 MiB.',
    cure: 'Send less: of a log its end, of a folder the files that matter.',
  },
  URI_TOO_LONG: {
    about: 'request',
    cause: 'The address is longer than the server reads.',
    cure: 'Put long values into the body of the request.',
  },
  HEADERS_TOO_LARGE: {
    about: 'request',
    cause: 'The headers of the request are larger than the server reads, often because of cookies.',
    cure: 'Send fewer or shorter headers.',
  },
  REQUEST_TIMEOUT: {
    about: 'request',
    cause: 'The request did not arrive in time: the connection is slow, or a pipe into curl stood still.',
    cure: 'Write the text to a file first, then send the file.',
  },
  RATE_LIMITED: {
    about: 'request',
    cause: 'More requests, or more open event streams, than one client may have.',
    cure: 'Wait as long as the header "retry-after" says.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    about: 'request',
    cause: 'The Idempotency-Key was used for another body within 24 hours.',
    cure: 'Send a new key with a new request.',
  },
  BAD_PATH: {
    about: 'request',
    cause: 'A path is absolute, leads out of its folder, or names a folder where a file is wanted.',
    cure: 'Use a relative path with "/" that stays inside.',
  },
  UNAUTHORIZED: {
    about: 'access',
    cause: 'The server has API_KEYS and the request brought no key, or a wrong one; or a webhook is not signed.',
    cure: 'Send the header "Authorization: Bearer KEY"; a webhook has to be signed with the secret of the server.',
  },
  FORBIDDEN: {
    about: 'access',
    cause: 'The key is bound: it may only read, or only see certain projects.',
    cure: 'Use a key that may do this, or ask without a model ("mode": "context").',
  },
  FORBIDDEN_HOST: {
    about: 'access',
    cause: 'The server was called by a name that it does not know as its own.',
    cure: 'Add the name to ALLOWED_HOSTS, or set PUBLIC_URL where a proxy stands in front.',
  },
  FORBIDDEN_ORIGIN: {
    about: 'access',
    cause: 'A page of another site sent the request from a browser.',
    cure: 'Add the host of that page to ALLOWED_HOSTS.',
  },
  ADDRESS_REFUSED: {
    about: 'access',
    cause: 'The repository or the callback is at a private address, which servers are kept from reaching.',
    cure: 'Set ALLOW_PRIVATE_HOSTS=true to let the server reach loopback and private networks.',
  },
  LOCAL_REPOSITORY_REFUSED: {
    about: 'access',
    cause: 'A path of the server was to be cloned, and no setting allows that folder.',
    cure: 'Set ALLOW_LOCAL_REPOS to a folder above it.',
  },
  BAD_REPOSITORY_URL: {
    about: 'repository',
    cause: 'The address of the repository is none, or holds a password.',
    cure: 'Use https://host/owner/repository, ssh://user@host/path or user@host:path; tokens belong into GIT_TOKENS.',
  },
  BAD_REF: {
    about: 'repository',
    cause: 'The name of a branch, tag or commit is one that git does not allow.',
    cure: 'Give a branch as "git branch -r" prints it, without "origin/", a tag, or the id of a commit.',
  },
  PROJECT_NOT_FOUND: {
    about: 'repository',
    cause: 'No project has this name: nothing was cloned yet, the name is misspelled, or the key may not see it.',
    cure: 'GET /projects lists the projects; POST /clone makes one.',
  },
  PROJECT_BUSY: {
    about: 'repository',
    cause: 'A job works on the project that is to be deleted.',
    cure: 'Wait for the job to end, or cancel it.',
  },
  INDEX_NOT_READY: {
    about: 'repository',
    cause: 'The project is being cloned for the first time, or that failed.',
    cure: 'Wait for its clone job: GET /jobs?type=clone says how far it is or why it failed.',
  },
  INDEX_INCOMPATIBLE: {
    about: 'repository',
    cause: 'The index was made by another release or with another embedding model, or it is damaged.',
    cure: 'Clone the repository again: its index is then made anew.',
  },
  REPOSITORY_NOT_FOUND: {
    about: 'repository',
    cause: 'There is no repository at the address.',
    cure: 'Check the address: "git ls-remote ADDRESS" has to know it.',
  },
  REPOSITORY_AUTH_FAILED: {
    about: 'repository',
    cause: 'The repository is private, or is not there: forges do not tell which.',
    cure: 'Check the address, and give the server a token: GIT_TOKENS=host=token.',
  },
  REPOSITORY_UNREACHABLE: {
    about: 'repository',
    cause: 'The host did not answer, or not as a git server does.',
    cure: 'Check the address and the network, then retry the job.',
  },
  REPOSITORY_REDIRECTED: {
    about: 'repository',
    cause: 'The repository has moved; redirects are not followed, so that no token reaches another host.',
    cure: 'Clone the address that it redirects to.',
  },
  REPOSITORY_TOO_LARGE: {
    about: 'repository',
    cause: 'The repository, or what an upload unpacks to, is beyond the limits.',
    cure: 'Clone a smaller branch, or choose a part of it with "include".',
  },
  REPOSITORY_CORRUPT: {
    about: 'repository',
    cause: 'The repository, or a file that was uploaded, is damaged or incomplete.',
    cure: 'Run "git fsck" in that repository, or upload the file again.',
  },
  EMPTY_REPOSITORY: {
    about: 'repository',
    cause: 'The repository has no commit yet.',
    cure: 'Push a commit, then clone again.',
  },
  BRANCH_NOT_FOUND: {
    about: 'repository',
    cause: 'The repository has no branch of this name.',
    cure: 'Leave "branch" out for the default one, or name one that "git ls-remote" lists.',
  },
  REF_NOT_FOUND: {
    about: 'repository',
    cause: 'Neither the clone nor its remote has this commit, tag or branch.',
    cure: 'Check "ref"; a commit has to be pushed before it can be read.',
  },
  CLONE_TIMED_OUT: {
    about: 'repository',
    cause: 'Fetching the repository took too long.',
    cure: 'Retry the job, or clone a smaller branch.',
  },
  CLONE_FAILED: {
    about: 'repository',
    cause: 'Git could not fetch the repository for a reason of its own, which the message repeats.',
    cure: 'Try "git clone ADDRESS" on the machine of the server: it says the same, and often more.',
  },
  PUSH_REJECTED: {
    about: 'repository',
    cause: 'The remote did not take the branch: the token may not write, or the repository was uploaded.',
    cure: 'Check the rights of the token in GIT_TOKENS; the commit stays, and its patch can be applied by hand.',
  },
  CHECKOUT_NOT_READY: {
    about: 'repository',
    cause:
      'A task is to be merged into your checkout, and that has changes which are not committed, is at another branch ' +
      'or in the middle of a merge or a rebase.',
    cure: 'Do what the message says, such as "git stash" or "git switch main", and run the command again.',
  },
  MERGE_FAILED: {
    about: 'repository',
    cause: 'Your own git did not merge the branch of a task: a hook refused it, or git does not know who you are.',
    cure: 'The checkout is as it was before. Mend what the message says, and merge the branch by hand.',
  },
  FORGE_REFUSED: {
    about: 'repository',
    cause:
      'The API of GitHub, GitLab, Gitea, Forgejo or Bitbucket did not do what was asked, or cannot be reached; the ' +
      'message says which one and why. The branch has been pushed by then.',
    cure:
      'Do what the message says, then POST /jobs/{id}/retry with {"from_step": "pull_request"}; docs/delivery.md ' +
      'lists the rights that a token needs.',
  },
  MERGE_NEEDS_PUSH: {
    about: 'request',
    cause: 'A task is to be merged by the server, which merges on the remote, and the request does not allow a push.',
    cure: 'Send "push": true with "auto_merge": true, or leave auto_merge out (AUTO_MERGE sets its default).',
  },
  TASK_FAILED: {
    about: 'model',
    cause:
      'No attempt of a task passed: the coder gave nothing usable, the reviewer or the checks sent it back, or it ' +
      'could not be merged. The message has the last reason, the result of the job all attempts with their diffs.',
    cure:
      '"faultline show NUMBER" says what each agent did. Retry with more max_attempts, another model, or a ' +
      'description that names files and what is to hold afterwards.',
  },
  PLAN_INVALID: {
    about: 'model',
    cause: 'The planner of a feature gave no plan that can be used, also when it was asked again with the reasons.',
    cure: 'Say in the request what is to be stored or done, and under which name; or ask another model.',
  },
  OUT_OF_SCOPE: {
    about: 'request',
    cause:
      'A feature needs a change outside of the paths that the project allows, or to its dependencies, and the model ' +
      'insisted on it after it was told. Nothing was committed.',
    cure:
      'Have a person make that change, or widen allowed_paths (PATCH /projects/{name}, or [features] of ' +
      '.faultline.toml on the default branch), and ask again.',
  },
  FEATURE_FAILED: {
    about: 'model',
    cause:
      'The code of a feature did not pass its checks within max_retries, or failed with the same error twice. Its ' +
      'branch is gone; the result of the job has each attempt with its checks.',
    cure:
      'Read "attempts" of the result. Retry with more max_retries, another model, or a request that says more; ' +
      'checks that fail without the feature have to be mended first.',
  },
  NOTHING_TO_INDEX: {
    about: 'repository',
    cause: 'No file is left to index: include, exclude or the folder of the address match nothing.',
    cure: 'Check branch, ref, include and exclude.',
  },
  NO_STACK_TRACE: {
    about: 'trace',
    cause: 'The text is empty, or holds neither a frame nor a word to search by.',
    cure: 'Send what the program printed when it failed, stderr included: npm test 2>&1 | …',
  },
  EXCEPTION_NOT_FOUND: {
    about: 'trace',
    cause: '"exception" names a number that the text does not have.',
    cure: 'Count from 0, or leave it out for the last root.',
  },
  RESOLUTION_NOT_FOUND: {
    about: 'trace',
    cause: 'No resolution with this id is kept: it is older than RETENTION_DAYS, or its project was purged.',
    cure: 'Send the trace again.',
  },
  FILE_NOT_FOUND: {
    about: 'request',
    cause: 'The project has no such file at the commit that is read, or leaves it out of its index.',
    cure: 'Name one of the files that the error says are near, or search for it by its name.',
  },
  NAME_NOT_FOUND: {
    about: 'request',
    cause: 'No code that was looked through defines or names this, as it is spelled.',
    cure: 'Take one of the names that the error says are near, or search by words.',
  },
  RESOLVE_TIMED_OUT: {
    about: 'trace',
    cause: 'Reading this text took too long.',
    cure: 'Send a shorter part of it.',
  },
  LLM_NOT_CONFIGURED: {
    about: 'model',
    cause: 'This needs a model and none is configured; the key of a provider alone is not enough.',
    cure: 'Set LLM_MODEL, and LLM_BASE_URL or the key of a provider; docs/providers.md has lines to copy.',
  },
  LLM_UNAVAILABLE: {
    about: 'model',
    cause: 'The model server is not there, too slow, or answers with errors.',
    cure: 'Check LLM_BASE_URL with "faultline doctor --online", or ask with "mode": "context".',
  },
  LLM_REJECTED: {
    about: 'model',
    cause: 'The model server refused the request: a wrong key, a wrong address, an unknown model.',
    cure: 'Check LLM_API_KEY, LLM_MODEL and LLM_BASE_URL; most addresses end in /v1.',
  },
  LLM_BAD_REPLY: {
    about: 'model',
    cause: 'The model answered with nothing that can be used.',
    cure: 'Name another model, or raise LLM_MAX_OUTPUT_TOKENS where it thinks for long.',
  },
  LLM_REQUEST_TOO_LARGE: {
    about: 'model',
    cause: 'The request has more tokens than the model takes.',
    cure: 'Lower max_context_tokens or send fewer files, or name a model with a larger context.',
  },
  EMBEDDING_UNAVAILABLE: {
    about: 'model',
    cause: 'The server of EMBEDDING_MODEL is not there or answers with errors.',
    cure: 'Check EMBEDDING_MODEL, or unset it to use the built-in embedder.',
  },
  REPLY_TRUNCATED: {
    about: 'model',
    cause: 'The reply was cut off, and going on with it did not help.',
    cure: 'Raise LLM_MAX_OUTPUT_TOKENS or ask for less; what was whole is kept with the job.',
  },
  REPLY_FILTERED: {
    about: 'model',
    cause: 'A filter of the model server held the reply back.',
    cure: 'Ask in other words, or name another model.',
  },
  JOB_NOT_FOUND: {
    about: 'job',
    cause: 'No job has this id: it is misspelled, was deleted, or belongs to a project that the key may not see.',
    cure: 'GET /jobs lists the jobs.',
  },
  TASK_NOT_FOUND: {
    about: 'job',
    cause: 'No task has this number, its project was deleted, or the key may not see it.',
    cure: 'GET /tasks lists the tasks.',
  },
  JOB_FINISHED: {
    about: 'job',
    cause: 'The job has ended, so it cannot be cancelled.',
    cure: 'Retry it to start it again.',
  },
  JOB_NOT_FINISHED: {
    about: 'job',
    cause: 'The job has not ended, so it can neither be deleted nor retried.',
    cure: 'Wait for its end, or cancel it.',
  },
  NOT_WAITING: {
    about: 'job',
    cause: 'The job asks nothing at the moment: somebody has replied, or it has ended.',
    cure: 'Look at its status; only a job that is "waiting" takes a reply.',
  },
  WRONG_REPLY: {
    about: 'job',
    cause: 'The reply does not fit what the job asks.',
    cure: '"request" of the job says what it asks; docs/jobs.md has the reply to each.',
  },
  REPLY_TIMED_OUT: {
    about: 'job',
    cause: 'The job asked a person, and nobody replied in time.',
    cure: 'Retry it; REPLY_TIMEOUT_DAYS says how long a job waits.',
  },
  BUDGET_EXHAUSTED: {
    about: 'job',
    cause: 'The budget of the job is used up, and nobody raised it.',
    cure: 'What was made is kept with the job; retry it with a higher budget.',
  },
  CANCELLED: {
    about: 'job',
    cause: 'Somebody cancelled the job, or the client hung up.',
    cure: 'Retry the job to start it again.',
  },
  QUEUE_FULL: {
    about: 'job',
    cause: 'As many jobs are queued as QUEUE_LIMIT allows.',
    cure: 'Wait as long as the header "retry-after" says, or raise QUEUE_LIMIT.',
  },
  NO_FILES_IN_REPLY: {
    about: 'job',
    cause: 'The model was to write files and wrote none, even when asked again.',
    cure: 'Retry the job; another model may do better.',
  },
  EDITS_REJECTED: {
    about: 'job',
    cause: 'Changes of the model do not fit the code, even when asked again with the reasons.',
    cure: 'Retry the job; take the part that fits ("allow_partial", the diff has it), or use another model.',
  },
  ENTRYPOINT_NOT_FOUND: {
    about: 'job',
    cause: 'The files hold no script that runs the program.',
    cure: 'Name the script with "entrypoint", or add one as run.sh.',
  },
  LINT_FAILED: {
    about: 'job',
    cause: "The project's lint or install command cannot be run.",
    cure: 'Change "checks" of the project, or leave "lint" out; the transcript of the job has the output.',
  },
  BISECT_STOPPED: {
    about: 'job',
    cause: 'The command of a bisect job ended with an exit code of 128 or more, or was ended by a limit.',
    cure:
      'Let the command end with 0 (good), 125 (skip this commit) or any other code below 128 (bad), then retry the ' +
      'job from the step it ended in.',
  },
  ENVIRONMENT_FAILED: {
    about: 'job',
    cause: "The project's dependencies could not be installed.",
    cure: 'The log of the job of type "environment" says why; set "checks.install" of the project or .faultline.toml.',
  },
  WORKER_LOST: {
    about: 'job',
    cause: 'Three processes of the server ended while they ran the job, and it finished no step in between.',
    cure: 'Look for the reason in the log of the system, often too little memory; then POST /jobs/{id}/retry.',
  },
  SANDBOX_UNAVAILABLE: {
    about: 'server',
    cause: 'A program was to be run, and this machine has no jail for it.',
    cure: 'Install bubblewrap 0.8 or newer; "faultline doctor" says what is missing.',
  },
  GIT_NOT_FOUND: {
    about: 'server',
    cause: 'Git is not installed where the server runs.',
    cure: 'Install it: apt-get install git.',
  },
  CONFIG_INVALID: {
    about: 'server',
    cause: 'A setting has a value that it cannot have.',
    cure: 'The message names the setting and what it takes; .env.example has every setting.',
  },
  DATA_DIR_LOCKED: {
    about: 'server',
    cause: 'Another Faultline, a server or a command, uses the same data folder.',
    cure: 'Use the running server with --server URL, stop it, or set DATA_DIR to another folder.',
  },
  OBJECT_STORE_UNAVAILABLE: {
    about: 'server',
    cause: 'The store that OBJECT_STORE_URL names did not answer in time, refused the request, or sent something else.',
    cure: 'Do what fix says. Nodes go on answering from what they keep themselves; what is published waits.',
  },
  DATA_DAMAGED: {
    about: 'server',
    cause: 'A file of the server is damaged or gone; the message names it.',
    cure: 'Put back a copy of it; indexes and clones can be made again by cloning.',
  },
  DATABASE_UNAVAILABLE: {
    about: 'server',
    cause: 'PostgreSQL, which DATABASE_URL names, does not answer or ended the connection.',
    cure: 'Nothing is lost: send it again when GET /ready says that the database answers.',
  },
  DISK_FULL: {
    about: 'server',
    cause: 'Less than DISK_RESERVE_MB is free on a disk of the data folders.',
    cure: 'Free some space: delete projects or jobs, or lower RETENTION_DAYS.',
  },
  OVERLOADED: {
    about: 'server',
    cause: 'The server has too much to do, or a process that worked on this ended.',
    cure: 'Send it again in a moment; if it happens often, give the machine more memory.',
  },
  SHUTTING_DOWN: {
    about: 'server',
    cause: 'The server is stopping.',
    cure: 'Send the request again in a few seconds.',
  },
  WEBHOOK_NOT_CONFIGURED: {
    about: 'server',
    cause: 'Webhooks and callbacks are signed, and the server has no secret for this sender.',
    cure: 'Set WEBHOOK_SECRETS=NAME=SECRET on the server; NAME is ci, github, gitlab or gitea.',
  },
  INTERNAL: {
    about: 'server',
    cause: 'A bug of Faultline.',
    cure: 'The log of the server has it under the request id ("instance"); please report it with those lines.',
  },
} as const satisfies Record<ErrorCode, ErrorHelp>
