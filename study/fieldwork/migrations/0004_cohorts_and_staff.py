
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_cohorts_and_staff'),
        ('fieldwork', '0003_the_whole_hour'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Incident',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=40)),
                ('what', models.CharField(max_length=400)),
                ('told', models.TextField()),
                ('began_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('over_at', models.DateTimeField(blank=True, null=True)),
                ('visits', models.PositiveIntegerField(default=0)),
                ('began_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('over_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='incidents', to='accounts.study')),
            ],
            options={
                'ordering': ['study', 'began_at'],
                'constraints': [models.UniqueConstraint(fields=('study', 'code'), name='incident_code_once'), models.UniqueConstraint(condition=models.Q(('over_at__isnull', True)), fields=('study',), name='incident_one_at_a_time')],
            },
        ),
    ]
