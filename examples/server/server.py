# API_URL=... APP_ID=... API_KEY=... python3 server.py
import os

import requests

API_URL = os.environ.get("API_URL", "http://localhost:3000/v3")

session = requests.Session()
session.headers.update({"appId": os.environ["APP_ID"], "apikey": os.environ["API_KEY"]})


class Refused(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


def chorale(method, path, body=None):
    response = session.request(method, API_URL + path, json=body, timeout=10)
    answer = response.json()
    if not response.ok:
        raise Refused(answer["error"])
    return answer["data"]


def sign_up(uid, name):
    """When somebody signs up. Called again, it changes nothing."""
    try:
        chorale("POST", "/users", {"uid": uid, "name": name})
    except Refused as error:
        if error.code != "ERR_UID_ALREADY_EXISTS":
            raise


def log_in(uid):
    """When somebody has logged in: the token for their page or app."""
    return chorale("POST", f"/users/{uid}/auth_tokens", {"lifetimeSeconds": 86400})["authToken"]


sign_up("ann", "Ann")
sign_up("bob", "Bob")
sign_up("ann", "Ann")
print("token", log_in("ann"))
members = {"admins": ["ann"], "participants": ["bob"]}
chorale("POST", "/groups", {"guid": "team", "name": "Team", "type": "private", "members": members})
chorale("POST", "/messages", {
    "receiver": "team",
    "receiverType": "group",
    "category": "message",
    "type": "text",
    "data": {"text": "Welcome, both of you."},
})
for message in chorale("GET", "/groups/team/messages?categories=message"):
    print(f"{message['sender']}: {message['data']['text']}")
