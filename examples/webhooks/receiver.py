# SECRET=whsec_... PORT=8080 python3 receiver.py
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["SECRET"].removeprefix("whsec_"))


def is_from_chorale(headers, body):
    """`body` is the bytes as they came, before they are parsed."""
    webhook_id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    # Older than five minutes: somebody may have recorded it.
    if not at.isdigit() or abs(time.time() - int(at)) > 300:
        return False
    signed = f"{webhook_id}.{at}.".encode() + body
    expected = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one, f"v1,{expected}") for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        genuine = is_from_chorale(self.headers, body)
        self.send_response(204 if genuine else 401)
        self.end_headers()
        # Do what takes long after the answer.
        if genuine:
            print(self.headers["webhook-id"], json.loads(body)["trigger"], flush=True)


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8080"))), Receiver).serve_forever()
