/** Texts of the test of a push provider. */
export const pushTest = {
  button: 'Test',
  title: (providerId: string) => `Test ${providerId}`,
  uid: 'Uid',
  uidHint: 'Whose devices get the test: at most five, those that were registered last.',
  send: 'Send a test push',
  sending: 'Sending …',
  none: 'No device',
  noneText:
    'This user has registered no device of this kind. Sign in with the app on a device first.',
  answers: 'What the provider has answered',
  device: 'Device',
  outcome: 'Outcome',
  reason: 'Reason',
  outcomes: {
    accepted: 'Accepted',
    gone: 'The device is gone',
    later: 'Not now: try again later',
    refused: 'Refused',
  },
}
