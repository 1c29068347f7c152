import type { Strings } from '../provider/strings.ts'

/** As much as a screen shows, for tests from right to left. */
export const arabic: Partial<Strings> = {
  conversations: 'المحادثات',
  messages: 'الرسائل',
  writeMessage: 'اكتب رسالة',
  send: 'إرسال',
  search: 'بحث',
  members: 'الأعضاء',
  online: 'متصل',
  offline: 'غير متصل',
  newMessages: 'رسائل جديدة',
  edited: 'معدلة',
  deleted: 'حُذفت هذه الرسالة',
  you: 'أنت',
  membersOf: (count) => `${count} أعضاء`,
  replies: (count) => `${count} ردود`,
  groupAction: (action, by, on) => `${by} ${action} ${on}`,
}
