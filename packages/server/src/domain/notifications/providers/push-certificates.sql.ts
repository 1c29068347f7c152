import { sql } from 'kysely'
import type { AppDb } from '../../../database/app-db.ts'

export type CertificateKind = 'p8' | 'p12'

export async function writeCertificate(
  { appId, db }: AppDb,
  kind: CertificateKind,
  certificateEncrypted: Buffer,
  now: number,
): Promise<void> {
  await sql`
    insert into push_certificates (app_id, kind, certificate_encrypted, uploaded_at)
    values (${appId}, ${kind}, ${certificateEncrypted}, ${now})
    on conflict (app_id, kind) do update
    set certificate_encrypted = excluded.certificate_encrypted,
        uploaded_at = excluded.uploaded_at`.execute(db)
}

export async function certificateKinds({ appId, db }: AppDb): Promise<Set<CertificateKind>> {
  const { rows } = await sql<{ kind: CertificateKind }>`
    select kind from push_certificates where app_id = ${appId}`.execute(db)
  return new Set(rows.map(({ kind }) => kind))
}

export async function findCertificate(
  { appId, db }: AppDb,
  kind: CertificateKind,
): Promise<Buffer | undefined> {
  const { rows } = await sql<{ sealed: Buffer }>`
    select certificate_encrypted as sealed from push_certificates
    where app_id = ${appId} and kind = ${kind}`.execute(db)
  return rows[0]?.sealed
}
