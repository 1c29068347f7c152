/** Texts of the frame, of the sign-in and of what every page may say. */
export const frame = {
  title: 'Chorale',
  documentTitle: (page: string) => `${page} · Chorale console`,
  skip: 'Skip to the page',
  menu: 'Menu',
  navigation: 'Pages',
  apps: 'Apps',
  app: 'App',
  allApps: 'All apps',
  accountOf: (name: string) => `Account of ${name}`,
  theme: 'Colors',
  themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  groups: {
    moderation: 'Moderation',
    support: 'Support',
    developers: 'Developers',
    operators: 'Operators',
  },
  noSuchApp: (id: string) =>
    `There is no app ${id} in which you have a role. Ask one of its owners to add you.`,
  notAllowed: (title: string, permission: string) =>
    `Your role does not include ${title} (${permission}). Ask an owner of the app for another role.`,
}

export const common = {
  loading: 'Loading …',
  retry: 'Try again',
  notFound: 'Page not found',
  notFoundText: 'This address leads to no page. Choose one from the menu.',
  failed: 'That did not work',
  crashed: 'This page has failed',
  crashedText: 'Load it again. If it fails again, tell your operator what you did before.',
  reload: 'Load again',
  cancel: 'Cancel',
  close: 'Close',
  save: 'Save',
  create: 'Create',
  remove: 'Delete',
  edit: 'Edit',
  copy: 'Copy',
  copied: 'Copied',
  search: 'Search',
  next: 'Next page',
  previous: 'Previous page',
  pageOf: (page: number, pages: number) => `Page ${page} of ${pages}`,
  none: 'None',
  yes: 'Yes',
  no: 'No',
  more: 'Show more',
  saved: 'Saved',
  requestId: 'Request id',
}

/** By code of the service: what happened, and what to do. The service's own words where there is none. */
export const advice: Readonly<Record<string, string>> = {
  AUTH_ERR_SESSION_NOT_FOUND: 'Your session has ended. Sign in again.',
  AUTH_ERR_NO_ACCESS: 'Your role does not allow this. Ask an owner of the app for another role.',
  AUTH_ERR_FOREIGN_PAGE:
    'The service knows the console by another address. Open it at the address that CONSOLE_URL names.',
  ERR_TOO_MANY_REQUESTS: 'Too many calls in a short time. Wait a little, then try again.',
}
export const offline =
  'The service does not answer. Check your connection; if that is fine, ask your operator.'

export const signIn = {
  title: 'Sign in',
  email: 'E-mail address',
  password: 'Password',
  code: 'Code of your authenticator app',
  codeHint: 'Six digits, or one of your recovery codes.',
  submit: 'Sign in',
  submitting: 'Signing in …',
  or: 'or',
  with: (provider: string) => `Sign in with ${provider}`,
  refused: 'The e-mail address, the password or the code is wrong.',
  tooOften: 'Too many attempts. Wait some minutes, then try again.',
  nobody: 'Nobody can sign in: passwords are switched off, and no provider is set up.',
  help: 'No account? Ask an owner to invite you, or your operator to run “chorale collaborator create”.',
  ended: 'Sign in to go on where you were.',
  failures: {
    ERR_NOT_INVITED:
      'Your provider knows you, and nobody has invited you here. Ask an owner to add your e-mail address.',
    ERR_PROVIDER_FAILED: 'The sign-in at your provider did not work. Try again.',
    ERR_SIGN_IN_REFUSED: 'The sign-in took too long, or was begun in another browser. Try again.',
  } as Readonly<Record<string, string>>,
  failed: (code: string) => `The sign-in has failed (${code}). Try again, or tell your operator.`,
}

export const enrol = {
  title: 'Set up a second factor',
  intro: (email: string) =>
    `${email} needs a second factor before anything else is open. Scan the picture with an authenticator app, or type the key into it; then type the code that it shows.`,
  start: 'Show the key',
  qr: 'QR code of the key',
  secret: 'Key',
  open: 'Open in an authenticator app on this device',
  code: 'Code of six digits',
  confirm: 'Switch it on',
  codesTitle: 'Recovery codes',
  codesText:
    'Each works once, instead of a code. Keep them where you keep passwords: they are shown this once.',
  done: 'I have kept them',
}

export const apps = {
  title: 'Apps',
  search: 'Name or id begins with',
  name: 'Name',
  id: 'Id',
  region: 'Region',
  created: 'Created',
  create: 'New app',
  createTitle: 'New app',
  created2: (name: string) => `${name} was created. Its keys are on the page Keys.`,
  none: 'No app yet',
  noneOwner: 'Create one: it comes with two API keys, one for your server and one for sign-in.',
  noneOther: 'You have no role in any app. Ask an owner to add you.',
  noneFound: 'No app begins with that. Change the search.',
  counted: (shown: number, total: number) => `${shown} of ${total} apps`,
  pages: 'Pages',
  noPages: 'Your role opens no page of this app. Ask one of its owners for another.',
}

export const account = {
  title: 'Account',
  signOut: 'Sign out',
  sessions: 'Sessions',
  sessionsText: 'Browsers in which you are signed in. End those that you do not know.',
  browser: 'Browser',
  address: 'Address',
  lastUsed: 'Last used',
  current: 'This one',
  end: 'End',
  endOthers: 'End all others',
  endOthersText: 'Whoever uses one of them has to sign in again.',
  ended: 'Ended',
  password: 'Change the password',
  present: 'Present password',
  wanted: 'New password',
  wantedHint: 'At least 12 characters. Your other sessions end.',
  change: 'Change it',
  changed: 'The password was changed',
  factor: 'Second factor',
  factorOn:
    'Switched on. If you have lost your device, ask the operator for “chorale collaborator reset”.',
  factorOff: 'Switched off.',
}
