"""Command lines of the clouds: nouns before the verb, verbs by their first word. Data.

AWS operations that write what they get into a file, and those that hand out what changes later (a queue's message), are no
looks; sessions and their keys (sts, sso) are left unknown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from borgd.limits.shell.tables.tool import Tool, changes, looks

_AWS_LOOKS = (
    "describe-* list-* get-* head-* lookup-* search-* filter-log-events batch-get-* query "
    "scan wait validate-* help ls tail presign estimate-*"
)
_AWS_CHANGES = (
    "create-* delete-* put-* update-* modify-* run-* start-* stop-* terminate-* reboot-* "
    "attach-* detach-* associate-* "
    "disassociate-* register-* deregister-* add-* remove-* enable-* disable-* tag-* "
    "untag-* set-* reset-* restore-* copy-* "
    "import-* publish* send-* invoke invoke-async batch-write-* batch-delete-* "
    "batch-put-* purge-* release-* allocate-* "
    "authorize-* revoke-* apply-* cancel-* change-* complete-* abort-* deploy package "
    "execute-* transact-write-items "
    "admin-create-* admin-delete-* admin-set-* admin-disable-* admin-enable-* accept-* "
    "reject-* rotate-* schedule-* upload-* "
    "cp mv rm sync mb rb rollback-* replace-* assign-* unassign-* increase-* decrease-* "
    "promote-* failover-* install "
    "get-object get-object-torrent get-job-output get-export get-sdk get-media get-clip "
    "get-snapshot-block synthesize-speech"
)
_AWS: dict[str, Any] = {
    "scan": False,
    "look": _AWS_LOOKS,
    "change": _AWS_CHANGES,
    "dry": "--dryrun --dry-run",
    "ignores": "--check --diff --list",
}
_AWS_GLOBAL = (
    "--profile --region --output --query --endpoint-url --cli-input-json --page-size --max-items --color --ca-bundle"
)
_AWS_SERVICES = """
    ec2 s3 s3api iam lambda ecs ecr eks rds dynamodb cloudformation cloudwatch logs sns sqs ssm secretsmanager route53
    elbv2 elb autoscaling acm apigateway apigatewayv2 kms cloudfront elasticache kinesis firehose stepfunctions events glue
    athena redshift cloudtrail organizations ce pricing backup batch codebuild codepipeline codedeploy codecommit
    codeartifact
    cognito-idp cognito-identity efs emr es opensearch guardduty inspector2 kafka mq neptune opsworks pipes scheduler
    servicediscovery service-quotas sagemaker bedrock bedrock-runtime ses sesv2 shield support synthetics transfer waf wafv2
    workspaces xray apprunner amplify appsync docdb dms ds imagebuilder lightsail macie2 resourcegroupstaggingapi
    resource-groups rolesanywhere ram quicksight polly rekognition textract translate transcribe
"""

_GCLOUD_LOOKS = """
    list describe info version get-value get-iam-policy get-ancestors read print-access-token print-identity-token
    get-server-config list-* get-health tail ls cat du hash lookup search-all-resources search-all-iam-policies
    list-grantable-roles get-serial-port-output help
"""
_GCLOUD_CHANGES = """
    create delete update set unset start stop reset resume suspend add-* remove-* set-* ssh scp resize patch import export
    login activate* revoke init install enable disable get-credentials submit rollback deploy call publish write cp mv rm
    rsync restart promote-* move undelete cancel attach-* detach-* run-jobs execute upgrade configure-docker clone failover
    replace rename snapshot bulk copy upload download edit pull ack destroy
"""
_AZ_LOOKS = (
    "list show exists wait version query find check-* list-* show-* get-access-token get-instance-view validate diff what-if"
)
_AZ_CHANGES = """
    create delete update set start stop restart deallocate add remove assign attach detach import upload download-batch
    login logout get-credentials purge recover reset resize scale upgrade enable disable deploy up down move copy download
    upload-batch generate regenerate renew invoke run invoke-action restore swap apply cancel publish set-* redeploy sync
    build install uninstall configure clear append delete-batch
"""

TOOLS: Mapping[str, Tool] = {
    "aws": Tool(
        values=_AWS_GLOBAL,
        verbs={
            **{service: Tool(**_AWS) for service in _AWS_SERVICES.split()},
            "s3": Tool(look="ls presign", change="cp mv rm sync mb rb website", dry="--dryrun"),
            "configure": changes(look="list get list-profiles", ignores="--check --diff --list"),
            "sts": Tool(),
            "sso": Tool(change="login logout"),
            "eks": Tool(**{**_AWS, "change": _AWS_CHANGES + " update-kubeconfig"}),
            "deploy": Tool(**_AWS),
            "help": looks(),
        },
    ),
    "gcloud": Tool(
        scan=True,
        look=_GCLOUD_LOOKS,
        change=_GCLOUD_CHANGES,
        values=(
            "--project --zone --region --format --filter --account --configuration --limit "
            "--sort-by --impersonate-service-account --location"
        ),
        verbs={
            "deploy": Tool(scan=True, look="list describe", change="create delete apply promote rollback"),
            "config": Tool(scan=True, look="list get get-value describe", change="set unset create activate delete"),
            "sql": Tool(scan=True, look=_GCLOUD_LOOKS, change=_GCLOUD_CHANGES + " connect"),
            "storage": Tool(
                scan=True,
                look="ls cat du hash list describe get-iam-policy",
                change="cp mv rm rsync create delete update objects",
            ),
        },
    ),
    "gsutil": Tool(
        look="ls cat du stat hash version help",
        change="cp mv rm mb rb compose rewrite setmeta notification signurl",
        values="-o -h -u",
        verbs={
            "rsync": changes(dry="-n"),
            **{
                verb: Tool(look="get", change="set ch on off", verbs={})
                for verb in ("acl", "iam", "cors", "lifecycle", "versioning", "defacl", "label", "logging", "web")
            },
        },
    ),
    "bq": Tool(
        look="ls show head version info help get-iam-policy",
        change="mk rm load extract cp update insert cancel truncate set-iam-policy undelete partition",
        values="--project_id --dataset_id --location --format",
        verbs={"query": Tool(looks="--dry_run")},
    ),
    "az": Tool(
        scan=True,
        look=_AZ_LOOKS,
        change=_AZ_CHANGES,
        values="-g --resource-group -n --name -o --output --query --subscription -l --location --ids",
        ignores="--check --diff --list",
        verbs={"rest": Tool()},
    ),
    "azd": Tool(look="show version", change="up down deploy provision init package restore"),
    "azcopy": Tool(
        look="list ls env doc",
        change="copy cp sync remove rm make login logout",
        dry="--dry-run",
        verbs={"jobs": Tool(look="list show", change="remove rm clean resume")},
    ),
    "eb": Tool(
        look="list status health logs printenv events",
        change="create deploy terminate init use setenv scale clone swap restore abort",
    ),
    "ecs-cli": Tool(look="ps logs images", change="up down push pull configure"),
    "s3cmd": Tool(look="ls la info du", change="put get del rm mb rb cp mv sync setacl modify", dry="-n"),
    "s5cmd": Tool(look="ls du cat head", change="cp mv rm sync mb rb", values="--endpoint-url --profile"),
    "mc": Tool(
        look="ls cat head stat du find tree diff version ping",
        change="cp mv rm mb rb mirror pipe share anonymous policy",
        verbs={"alias": Tool(look="ls list", change="set rm remove import")},
    ),
    "rclone": Tool(
        look=(
            "ls lsl lsd lsf lsjson cat size check cryptcheck about listremotes version md5sum "
            "sha1sum hashsum tree config-show help"
        ),
        change=(
            "copy move sync delete purge mkdir rmdir rmdirs copyto moveto copyurl touch cleanup "
            "dedupe link rcat bisync settier"
        ),
        dry="-n --dry-run",
        verbs={"config": changes(look="show file dump paths redacted", ignores="--dry-run")},
    ),
    "restic": Tool(
        look="snapshots ls find stats check diff cat list version",
        change="backup restore forget prune init unlock tag rewrite migrate key copy",
        values="-r --repo -p --password-file -o --option",
        verbs={"dump": looks(writes="--target")},
    ),
    "borgbackup": Tool(look="list info check diff", change="create delete prune extract init compact mount"),
    "databricks": Tool(
        scan=True,
        look="list get ls cat list-* get-*",
        change="create delete update run-now submit cp rm mkdirs import export deploy run reset cancel",
    ),
    "snow": Tool(scan=True, look="list describe test", change="create drop deploy add execute copy remove"),
}
