import { deviceClient } from '@chorale/sdk'

interface Login {
  readonly baseUrl: string
  readonly appId: string
  readonly authToken: string
}

/** Call it when the user clicks "Notify me": browsers ask for permission only after a click. */
export async function subscribe(login: Login): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  await navigator.serviceWorker.register('/service-worker.js')
  const registration = await navigator.serviceWorker.ready
  const { getWebPushKey, registerPushToken } = deviceClient(login)
  const { data } = await getWebPushKey()
  const { endpoint, keys } = (
    await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: data.publicKey,
    })
  ).toJSON()
  const { p256dh = '', auth = '' } = keys ?? {}
  const subscription = { endpoint: endpoint ?? '', keys: { p256dh, auth } }
  await registerPushToken({ body: { platform: 'web', subscription } })
  return true
}
